// SPDX-License-Identifier: MIT
package gpcl;

/** A call that failed: its message, its status (one of Gpcl.ERROR_...), and the log of OpenCL C that did not build. */
public class GpclException extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final int status;
    private final String buildLog;

    GpclException(int status, String message, String buildLog) {
        super(message);
        this.status = status;
        this.buildLog = buildLog;
    }

    public int getStatus() { return status; }

    public String getBuildLog() { return buildLog; }
}
