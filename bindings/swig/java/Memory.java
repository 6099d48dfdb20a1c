// SPDX-License-Identifier: MIT
package gpcl;

import java.nio.*;

/** What a buffer must be so that native code can use its memory as it lies. */
final class Memory {
    private Memory() {}

    private static long elementBytes(Buffer buffer) {
        if (buffer instanceof ByteBuffer) return 1;
        if (buffer instanceof ShortBuffer || buffer instanceof CharBuffer) return 2;
        if (buffer instanceof IntBuffer || buffer instanceof FloatBuffer) return 4;
        return 8;
    }

    static long firstByte(Buffer buffer) { return buffer.position() * elementBytes(buffer); }

    static long byteCount(Buffer buffer) { return buffer.remaining() * elementBytes(buffer); }

    private static ByteOrder order(Buffer buffer) {
        if (buffer instanceof ShortBuffer) return ((ShortBuffer) buffer).order();
        if (buffer instanceof CharBuffer) return ((CharBuffer) buffer).order();
        if (buffer instanceof IntBuffer) return ((IntBuffer) buffer).order();
        if (buffer instanceof FloatBuffer) return ((FloatBuffer) buffer).order();
        if (buffer instanceof LongBuffer) return ((LongBuffer) buffer).order();
        if (buffer instanceof DoubleBuffer) return ((DoubleBuffer) buffer).order();
        return ByteOrder.nativeOrder(); // a ByteBuffer's order says nothing of the bytes that are in it
    }

    static Buffer readable(Buffer buffer) {
        if (!buffer.isDirect()) throw new IllegalArgumentException("gpcl takes direct buffers: ByteBuffer.allocateDirect");
        if (order(buffer) != ByteOrder.nativeOrder())
            throw new IllegalArgumentException("gpcl takes buffers in ByteOrder.nativeOrder()");
        return buffer;
    }

    static Buffer writable(Buffer buffer) {
        if (buffer.isReadOnly()) throw new ReadOnlyBufferException();
        return readable(buffer);
    }
}
