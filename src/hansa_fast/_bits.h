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
/* Without branches: which bit comes k-th is chance itself, so a branch on it would be mispredicted most of the time.
   Bytes hold running counts; those that are not above k lie before the place we look for. */
static inline int hf_select(uint64_t w, int k) {
    const uint64_t ones = 0x0101010101010101ULL, tops = 0x8080808080808080ULL;
    uint64_t counts = w - ((w >> 1) & 0x5555555555555555ULL), bits;
    int at, rest;
    counts = (counts & 0x3333333333333333ULL) + ((counts >> 2) & 0x3333333333333333ULL);
    counts = ((counts + (counts >> 4)) & 0x0f0f0f0f0f0f0f0fULL) * ones;
    at = 8 * hf_popcount((((uint64_t)k * ones | tops) - counts) & tops);
    rest = k - (int)(((counts << 8) >> at) & 0xff);
    bits = (((w >> at) & 0xff) * ones) & 0x8040201008040201ULL;    /* bit i of the byte, alone in byte i */
    bits = (((bits + 0x7f7f7f7f7f7f7f7fULL) >> 7) & ones) * ones;
    return at + hf_popcount((((uint64_t)rest * ones | tops) - bits) & tops);
}
#endif

/* One of the set bits of `words` words, all equally likely for a random number below 2^32; at least one is set. */
static inline int hf_pick(const uint64_t *mask, int words, uint64_t random) {
    int i, k, c, n = 0;
    for (i = 0; i < words; i++) n += hf_popcount(mask[i]);
    k = (int)((random * (uint64_t)n) >> 32);
    for (i = 0; k >= (c = hf_popcount(mask[i])); i++) k -= c;
    return 64 * i + hf_select(mask[i], k);
}

#endif
