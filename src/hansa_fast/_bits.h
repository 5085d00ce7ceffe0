/* Bit tricks with a portable fallback for every one of them. */
#ifndef HANSA_BITS_H
#define HANSA_BITS_H

#include <stdint.h>

#if defined(_MSC_VER) && defined(_M_X64) && !defined(__clang__)
#include <intrin.h>
static __forceinline int hf_popcount(uint64_t w) { return (int)__popcnt64(w); }
static __forceinline int hf_lowest(uint64_t w) {
    unsigned long i;
    _BitScanForward64(&i, w);
    return (int)i;
}
static __forceinline int hf_highest(uint64_t w) {
    unsigned long i;
    _BitScanReverse64(&i, w);
    return (int)i;
}
#elif defined(__GNUC__) || defined(__clang__)
static inline int hf_popcount(uint64_t w) { return __builtin_popcountll(w); }
static inline int hf_lowest(uint64_t w) { return __builtin_ctzll(w); }
static inline int hf_highest(uint64_t w) { return 63 - __builtin_clzll(w); }
#else
static int hf_popcount(uint64_t w) {
    w -= (w >> 1) & 0x5555555555555555ULL;
    w = (w & 0x3333333333333333ULL) + ((w >> 2) & 0x3333333333333333ULL);
    w = (w + (w >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
    return (int)((w * 0x0101010101010101ULL) >> 56);
}
static int hf_lowest(uint64_t w) { return hf_popcount((w & (~w + 1)) - 1); }
static int hf_highest(uint64_t w) {
    int i = 0;
    while (w >>= 1) i++;
    return i;
}
#endif

/* Position of the k-th set bit (k from 0); the word has more than k bits. */
#if defined(__BMI2__) && defined(__x86_64__)
#include <immintrin.h>
static inline int hf_select(uint64_t w, int k) { return hf_lowest(_pdep_u64(1ULL << k, w)); }
#else
static int hf_select(uint64_t w, int k) {
    int at = 0, n;
    n = hf_popcount(w & 0xffffffffULL);
    if (k >= n) { k -= n; at += 32; w >>= 32; }
    n = hf_popcount(w & 0xffffULL);
    if (k >= n) { k -= n; at += 16; w >>= 16; }
    n = hf_popcount(w & 0xffULL);
    if (k >= n) { k -= n; at += 8; w >>= 8; }
    w &= 0xffULL;
    while (k--) w &= w - 1;
    return at + hf_lowest(w);
}
#endif

#endif
