// The moduli of residues.cl: 15 numbers up to 256, of which no two have a common factor. An integer
// is known by its residues, what remains of it where it is divided by each of them, if it lies
// between -P / 2 and P / 2, where P is their product, about 2^117.78.
//
// Gives: GP_MODULI, GP_EACH_MODULUS, gp_moduli, gp_inverses; GP_EACH_BYTE_OF_FACTORS,
//        GP_PRODUCT_OF_MODULI
// Source: Knuth, "The Art of Computer Programming", volume 2, 4.3.2, modular arithmetic
// SPDX-License-Identifier: MIT
#define GP_MODULI 15

// X(l, p): modulus number l.
#define GP_EACH_MODULUS(X)                                                                                             \
    X(0, 256)                                                                                                          \
    X(1, 255)                                                                                                          \
    X(2, 253)                                                                                                          \
    X(3, 251)                                                                                                          \
    X(4, 247) X(5, 241) X(6, 239) X(7, 233) X(8, 229) X(9, 227) X(10, 223) X(11, 217) X(12, 211) X(13, 199) X(14, 197)

#define GP_THAT(l, p) p,
constant uint gp_moduli[GP_MODULI] = {GP_EACH_MODULUS(GP_THAT)};

// Rounded correctly, which divisions on a device need not be.
#define GP_INVERSE(l, p) 1.0f / (p),
constant float gp_inverses[GP_MODULI] = {GP_EACH_MODULUS(GP_INVERSE)};

// A modulus' factor is the multiple of P / p that leaves 1 where it is divided by p. X(w, b, f0,
// f4, f8, f12): byte b of 32-bit word w, the low ones first, of the factors of moduli 0 to 3, 4 to
// 7, 8 to 11 and 12 to 14, a byte each.
#define GP_EACH_BYTE_OF_FACTORS(X)                                                                                     \
    X(0, 0, 0x00000001u, 0x00000000u, 0x00000000u, 0x00000000u)                                                        \
    X(0, 1, 0xefcb57f7u, 0xd0b43148u, 0xd0a195cdu, 0x007f8010u)                                                        \
    X(0, 2, 0x7d6e5b6cu, 0xe57eac56u, 0x0a9a8e8fu, 0x00c8eb23u)                                                        \
    X(0, 3, 0x5f5087f0u, 0xff60b4ffu, 0x77f3e6ecu, 0x004dfad8u)                                                        \
    X(1, 0, 0xc95496d8u, 0xfed203b4u, 0x0249d443u, 0x00fff8f6u)                                                        \
    X(1, 1, 0x2e2bb07eu, 0xd7bc48ecu, 0x1d1dfdd6u, 0x005d1bb4u)                                                        \
    X(1, 2, 0xfaf59753u, 0x83a199fdu, 0xbf5af7c0u, 0x0034304bu)                                                        \
    X(1, 3, 0xe343deb1u, 0xa0dd8009u, 0x6602ed2bu, 0x0047f7f0u)                                                        \
    X(2, 0, 0xf1fe3a25u, 0x6b022a4au, 0xceffba20u, 0x0060f8dfu)                                                        \
    X(2, 1, 0xdc141e1du, 0xb78d0b6eu, 0x1240881bu, 0x00a840c8u)                                                        \
    X(2, 2, 0x025f9e18u, 0x5204e0d5u, 0x61f25f77u, 0x001f7981u)                                                        \
    X(2, 3, 0x8f9346beu, 0x6e4c3830u, 0x6f86a9bfu, 0x00b5313bu)                                                        \
    X(3, 0, 0x1efa189du, 0x6f1b7f1eu, 0x55c6988cu, 0x002ae913u)                                                        \
    X(3, 1, 0xb6929666u, 0xe8423ac1u, 0x4d7548a1u, 0x00706b87u)                                                        \
    X(3, 2, 0x27291d30u, 0x1220001au, 0x14170f0fu, 0x0019230cu)

// The words of P.
#define GP_PRODUCT_OF_MODULI 0x161a2100u, 0x104ccb7du, 0x8aea8303u, 0x003711c4u
