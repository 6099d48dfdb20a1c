// SPDX-License-Identifier: MIT
using System;
using System.Runtime.InteropServices;

namespace Gpcl {

[StructLayout(LayoutKind.Sequential)]
internal struct Memory {
    public IntPtr Data;
    public UIntPtr Bytes;
}

/// <summary>Keeps an array where it is for the length of a call.</summary>
internal sealed class Pinned : IDisposable {
    public Memory Memory;
    private GCHandle handle;

    public Pinned(Array array, string name) {
        if (array == null) throw new ArgumentNullException(name);
        Memory.Bytes = new UIntPtr((ulong)Buffer.ByteLength(array)); // refuses all but primitive types
        handle = GCHandle.Alloc(array, GCHandleType.Pinned);
        Memory.Data = handle.AddrOfPinnedObject();
    }

    ~Pinned() { Dispose(); } // where a later argument was refused

    public void Dispose() {
        if (handle.IsAllocated) handle.Free();
        GC.SuppressFinalize(this);
    }
}

}
