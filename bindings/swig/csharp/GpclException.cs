// SPDX-License-Identifier: MIT
namespace Gpcl {

/// <summary>A call that failed: its message, its status (one of gp.ERROR_...), and the log of OpenCL C that did not build.</summary>
public class GpclException : System.Exception {
    public int Status { get; private set; }
    public string BuildLog { get; private set; }

    internal GpclException(int status, string message, string buildLog) : base(message) {
        Status = status;
        BuildLog = buildLog;
    }
}

}
