/* Rolls the hands of a round as `_roll_hands` in dice.py does, the reference, in a compiled wheel.
 *
 * SHA-512 follows FIPS 180-4 and has its names: a key of 32 characters takes one block.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

#define FACES 6
#define MAX_SEATS 6
#define MAX_DICE 16 /* a hash has as many words of 32 bits */
#define BLOCK 128   /* bytes that are compressed at once */
#define LENGTH 16   /* bytes at the end of the last block that say how long the message is */

static const uint64_t INITIAL[8] = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

static const uint64_t K[80] = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
    0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
    0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
    0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
    0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
    0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
    0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
    0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
    0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
    0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
    0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
    0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
    0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
    0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
    0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
    0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
    0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817};

#define ROTR(x, n) ((x) >> (n) | (x) << (64 - (n)))
#define SUM_0(x) (ROTR(x, 28) ^ ROTR(x, 34) ^ ROTR(x, 39))
#define SUM_1(x) (ROTR(x, 14) ^ ROTR(x, 18) ^ ROTR(x, 41))
#define SIGMA_0(x) (ROTR(x, 1) ^ ROTR(x, 8) ^ (x) >> 7)
#define SIGMA_1(x) (ROTR(x, 19) ^ ROTR(x, 61) ^ (x) >> 6)
#define CH(x, y, z) (((x) & (y)) ^ (~(x) & (z)))
#define MAJ(x, y, z) (((x) & (y)) ^ ((x) & (z)) ^ ((y) & (z)))

static uint64_t big_endian(const unsigned char *bytes)
{
    uint64_t word = 0;
    for (int i = 0; i < 8; i++)
        word = word << 8 | bytes[i];
    return word;
}

static void compress(uint64_t hash[8], const unsigned char *block)
{
    uint64_t w[80];
    uint64_t a = hash[0], b = hash[1], c = hash[2], d = hash[3];
    uint64_t e = hash[4], f = hash[5], g = hash[6], h = hash[7];
    for (int t = 0; t < 16; t++)
        w[t] = big_endian(block + 8 * t);
    for (int t = 16; t < 80; t++)
        w[t] = SIGMA_1(w[t - 2]) + w[t - 7] + SIGMA_0(w[t - 15]) + w[t - 16];
    for (int t = 0; t < 80; t++) {
        uint64_t t1 = h + SUM_1(e) + CH(e, f, g) + K[t] + w[t];
        uint64_t t2 = SUM_0(a) + MAJ(a, b, c);
        h = g, g = f, f = e, e = d + t1;
        d = c, c = b, b = a, a = t1 + t2;
    }
    hash[0] += a, hash[1] += b, hash[2] += c, hash[3] += d;
    hash[4] += e, hash[5] += f, hash[6] += g, hash[7] += h;
}

static void sha512(uint64_t hash[8], const unsigned char *message, size_t size)
{
    unsigned char end[2 * BLOCK] = {0};
    size_t rest = size % BLOCK;
    size_t padded = rest < BLOCK - LENGTH ? BLOCK : 2 * BLOCK;
    memcpy(hash, INITIAL, sizeof INITIAL);
    for (size_t at = 0; at < size - rest; at += BLOCK)
        compress(hash, message + at);
    memcpy(end, message + size - rest, rest);
    end[rest] = 0x80;
    for (int i = 0; i < 8; i++)
        end[padded - 1 - i] = (unsigned char)((uint64_t)size * 8 >> 8 * i);
    for (size_t at = 0; at < padded; at += BLOCK)
        compress(hash, end + at);
}

/* Returns a tuple of so many faces; NULL with an exception. */
static PyObject *roll_hand(const unsigned char *key, size_t size, long quantity)
{
    uint64_t hash[8];
    if (quantity < 0 || quantity > MAX_DICE)
        return PyErr_Format(PyExc_ValueError, "%ld dice", quantity);
    PyObject *hand = PyTuple_New(quantity);
    if (!hand || !quantity)
        return hand;
    sha512(hash, key, size);
    for (long i = 0; i < quantity; i++) {
        uint32_t word = (uint32_t)(i % 2 ? hash[i / 2] : hash[i / 2] >> 32);
        PyTuple_SET_ITEM(hand, i, PyLong_FromLong(word % FACES + 1)); /* small: it cannot fail */
    }
    return hand;
}

/* Fills a tuple with a hand for each seat, whose number ends the key; 0 with an exception. */
static int fill(PyObject *hands, unsigned char *key, size_t size, PyObject *dice)
{
    for (Py_ssize_t seat = 0; seat < PyTuple_GET_SIZE(dice); seat++) {
        long quantity = PyLong_AsLong(PyTuple_GET_ITEM(dice, seat));
        if (PyErr_Occurred())
            return 0;
        key[size - 1] = (unsigned char)('0' + seat);
        PyObject *hand = roll_hand(key, size, quantity);
        if (!hand)
            return 0;
        PyTuple_SET_ITEM(hands, seat, hand);
    }
    return 1;
}

static PyObject *roll_hands(PyObject *module, PyObject *args)
{
    PyObject *key, *dice;
    if (!PyArg_ParseTuple(args, "SO!", &key, &PyTuple_Type, &dice))
        return NULL;
    if (PyTuple_GET_SIZE(dice) > MAX_SEATS)
        return PyErr_Format(PyExc_ValueError, "more than %d seats", MAX_SEATS);
    size_t size = (size_t)PyBytes_GET_SIZE(key) + 1;
    unsigned char *message = PyMem_Malloc(size);
    if (!message)
        return PyErr_NoMemory();
    memcpy(message, PyBytes_AS_STRING(key), size - 1);
    PyObject *hands = PyTuple_New(PyTuple_GET_SIZE(dice));
    if (hands && !fill(hands, message, size, dice))
        Py_CLEAR(hands);
    PyMem_Free(message);
    return hands;
}

static PyMethodDef functions[] = {
    {"roll_hands", roll_hands, METH_VARARGS, "Roll the hands of a round."},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "hands", NULL, 0, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_hands(void)
{
    return PyModuleDef_Init(&definition);
}
