// tests/ops/manifest says which algorithm must run on which implementation, and what it may refuse
// there. Every test that names an algorithm asks refused(), so that a refusal is no pass where the
// algorithm must run.
// SPDX-License-Identifier: MIT
#pragma once

#include <gpcl/gpcl.h>

#include <map>
#include <string>
#include <vector>

namespace test {

class Manifest {
  public:
    // A line of the file.
    struct Row {
        gp_operation operation;
        std::string algorithm;
        std::vector<std::string> implementations; // it runs on these, groups resolved
        std::vector<std::string> broken;          // these can't compile it
        std::vector<std::string> reasons;         // a refusal there must contain one of these
    };

    // Reads the format that the file describes; throws std::runtime_error with the line that breaks
    // it.
    static Manifest parse(const std::string &text);

    bool lists(gp_operation operation, const std::string &algorithm) const;
    // Must the algorithm run there, for requests that no reason excludes?
    bool runs(gp_operation operation, const std::string &algorithm, const std::string &implementation) const;
    // Is the implementation unable to compile the algorithm? Then no test tries it.
    bool is_broken(gp_operation operation, const std::string &algorithm, const std::string &implementation) const;
    // Does the name stand for several devices, which may refuse anything for some reasons?
    bool is_family(const std::string &implementation) const { return reasons_there_.contains(implementation); }
    // Why a refusal with this message is not allowed there; empty where it is.
    std::string objection(gp_operation operation, const std::string &algorithm, const std::string &implementation,
                          const std::string &message) const;
    const std::vector<Row> &rows() const { return rows_; }

  private:
    std::vector<Row> rows_;
    std::map<std::string, std::vector<std::string>> reasons_there_; // for every algorithm
};

// The file.
const Manifest &manifest();

// What on.sh calls the implementation under test; without on.sh the device's platform tells.
const std::string &implementation();

// All that the library has.
std::vector<gp_operation> operations();

// The name of an operation in the manifest, such as "recurrence-varying".
std::string name_of(gp_operation operation);

// Did the library refuse the named algorithm for this request? Fails the test where the manifest
// does not allow it. The default, NULL, is never refused. Reads gp_error_message(), so it comes
// right after the call.
bool refused(gp_operation operation, const char *algorithm, gp_status status);
// The same by another manifest and on another implementation.
bool refused(const Manifest &manifest, const std::string &implementation, gp_operation operation, const char *algorithm,
             gp_status status);

} // namespace test
