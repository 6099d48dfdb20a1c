// The moduli of residues.cl: 15 numbers up to 256, of which no two have a common factor. An integer
// is known by its residues, what remains of it where it is divided by each of them, if it lies
// between -P / 2 and P / 2, where P is their product, about 2^117.78.
//
// Gives: GP_MODULI, GP_EACH_MODULUS, GP_PRODUCT_OF_MODULI, gp_modulus
// Source: Knuth, "The Art of Computer Programming", volume 2, 4.3.2, modular arithmetic
// SPDX-License-Identifier: MIT
#define GP_MODULI 15

// X(l, p, w0, w1, w2, w3): modulus number l, and the multiple of P / p that leaves 1 where it is
// divided by p, in words of 32 bits, the low one first.
#define GP_EACH_MODULUS(X)                                                                                             \
    X(0, 256, 0xf06cf701u, 0xb1537ed8u, 0xbe181d25u, 0x0030669du)                                                      \
    X(1, 255, 0x875b5700u, 0xde97b096u, 0x469e1e3au, 0x001d9618u)                                                      \
    X(2, 253, 0x506ecb00u, 0x43f52b54u, 0x935f14feu, 0x002992fau)                                                      \
    X(3, 251, 0x5f7def00u, 0xe3fa2ec9u, 0x8f02dcf1u, 0x0027b61eu)                                                      \
    X(4, 247, 0xff564800u, 0x09fdecb4u, 0x30d56e4au, 0x001ac11eu)                                                      \
    X(5, 241, 0xb4ac3100u, 0x80994803u, 0x38e00b2au, 0x00003a7fu)                                                      \
    X(6, 239, 0x607eb400u, 0xdda1bcd2u, 0x4c048d02u, 0x0020421bu)                                                      \
    X(7, 233, 0xffe5d000u, 0xa083d7feu, 0x6e52b76bu, 0x0012e86fu)                                                      \
    X(8, 229, 0xec8fcd00u, 0x2bc0d643u, 0xbf771b20u, 0x000fa18cu)                                                      \
    X(9, 227, 0xe68e9500u, 0xedf7fdd4u, 0xa95f88bau, 0x000f4898u)                                                      \
    X(10, 223, 0xf39aa100u, 0x025a1d49u, 0x86f240ffu, 0x001775c6u)                                                     \
    X(11, 217, 0x770ad000u, 0x66bf1d02u, 0x6f6112ceu, 0x00144d55u)                                                     \
    X(12, 211, 0xd8231000u, 0xf04bb4f6u, 0x3b81c8dfu, 0x000c8713u)                                                     \
    X(13, 199, 0xfaeb8000u, 0xf7301bf8u, 0x317940f8u, 0x00236be9u)                                                     \
    X(14, 197, 0x4dc87f00u, 0x47345dffu, 0xb51fa860u, 0x0019702au)

// P, likewise.
#define GP_PRODUCT_OF_MODULI(X) X(0x161a2100u, 0x104ccb7du, 0x8aea8303u, 0x003711c4u)

#define GP_THAT(l, p, w0, w1, w2, w3) p,
constant uint gp_moduli[GP_MODULI] = {GP_EACH_MODULUS(GP_THAT)};
