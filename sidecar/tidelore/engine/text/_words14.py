"""Letters, marks and numbers (categories L, M, N) of Unicode 14.0.0 outside the named scripts, packed as `_ranges` says.

Variation selectors are left out. Made by Python 3.11, whose `unicodedata.unidata_version` is 14.0.0, where `named` is a
regular expression class of all the scripts named in `scripts`:

    points = (p for p in range(0x80, 0x110000) if unicodedata.category(chr(p))[0] in "LMN")
    pack(p for p in points if not named.match(chr(p)) and not 0xFE00 <= p <= 0xFE0F and not 0xE0100 <= p <= 0xE01EF)
"""

WORDS = (
    "4y 2 1 1 3 1 2 3 dt i 4 c e 5 7 1 1 1 3p 1 5 1 c6 12 2 1 6 15 5z a 3q a m 1n 2 3 1c 1e e 1i 4 1 2 1 2 1a i s 4 b 45 2s 2 "
    "a 1 j 1 8 2 2 2 m 1 7 1 1 3 4 2 9 2 2 2 4 8 1 4 2 1 5 2 c 2 6 2 1 1 1 2 3 1 6 4 2 2 m 1 7 1 2 1 2 1 2 2 1 1 5 4 2 2 3 3 "
    "1 7 4 1 1 7 g b 3 1 9 1 3 1 m 1 7 1 2 1 5 2 a 1 3 1 3 2 1 f 4 2 a 9 7 1 3 1 8 2 2 2 m 1 7 1 2 1 5 2 9 2 2 2 3 7 3 4 2 1 "
    "5 2 a 1 7 a 2 1 6 3 3 1 4 3 2 1 1 1 2 3 2 3 3 3 c 4 5 3 3 1 4 2 1 6 1 e d d d 1 3 1 n 1 g 2 9 1 3 1 4 7 2 1 3 2 1 2 4 2 "
    "a 8 7 1 4 1 8 1 3 1 n 1 a 1 5 2 9 1 3 1 4 7 2 6 2 1 4 2 a 1 2 d d 1 3 1 1f 1 3 1 5 5 g 2 j 1 6 1 3 1 i 3 o 1 9 1 1 2 7 3 "
    "1 4 6 1 1 1 8 6 a 2 2 2k a 3a a 12 1 n 2 6 k 1 1 1 1 1 1 4 a 1 10 4 k 1 i 1 10 9 1 3d a 1y a 6 12 1 1 5 1 2 17 1 4 74 21 "
    "1 4 2 7 1 1 1 4 2 15 1 4 2 x 1 4 2 7 1 1 1 4 2 f 1 1l 1 4 2 1v 2 3 9 k 3 g g 2e 2 6 3 h8 2 h 1 q 5 23 3 b 7 m 9 m b k c "
    "d 1 3 1 2 2r 1 8 a 6 a h 3 1 b 6 2h 7 17 5 1y a v 1 c 4 c a 14 2 5 b 18 4 q 6 b 11 s 4 1r 1 t 2 b 6 a d 1 8 v 1d 25 3 a "
    "h 9 c 38 c 1k 8 a 3 1d i 17 2 3 g 3 1 13 5 17 1 24 1 3r hc 2 2 6 5 b 6 d 1f x h 1 4 1 2 a 1 1 3 5 6 1 1 1 1 1 1 4 1 b 2 "
    "4 5 5 4 1 1 1m k6 1o 26 m hi u vg 2o w 2t 6 9 9 1 2 12 1 1 5 1 2 1k 7 1 f o 9 7 1 7 1 7 1 7 1 7 1 7 1 7 1 7 28 1 dt f 1 "
    "5 2 5 5k 17 2q 4 a w 2o a u 8 1 f w a 13 f lkw wd 1v 1a 2 7h 3 s 38 2a 11 9 2w 1 1z 2 1 1 1 5 o 1i 4 1 3 6 a 1g c 1y a a "
    "6 o 3 1 1 1d 2 10 18 1t e b 6 v 1 1j 9 e 2 a 6 n 3 21 o 3 2 g 2 5 a 6 2 6 2 6 9 7 1 7 1 17 1 e 6 3f 1 2 2 a fly 7 c 5 5 "
    "c 1 d 1 5 1 1 1 2 1 2 1 30 x a3 i 1s 2 1i 14 c 10 g 1s 5 1 3r j a 7 q 6 q 1x v 3 6 2 6 2 6 2 3 z c 1 q 1 j 1 2 1 f 2 e y "
    "3f c 19 c 1l h 2 35 1 3m t 3 1d f s 4 10 9 u 5 17 5 u 2 10 4 8 1 5 16 4e 2 a 6 10 4 10 4 14 8 1g c b 1 f 1 7 1 2 1 b 1 f "
    "1 7 1 2 1v 8n 9 m a 8 o 6 1 16 1 9 1x 6 2 1 1 18 1 2 3 1 2 n 2 v 2 12 8 9 1c j 1 2 5 x 4 q 1y 1k 4 k 2 1e 1 2 5 8 1 3 1 "
    "t 2 3 4 a n v 1 w w 8 1 u 4 5 g 1i a m 2 r 5 q n 7 28 21 1j 1f d 1f 7 1a 8 a 86 v 1 16 1 2 3 2 26 14 8 11 r m 16 s k n 9 "
    "1z b 10 9 1o 7 1 d p 7 a 6 1h 1 a 4 4 8 10 2 1 9 1x 4 4 1 d 1 1 4 k b i 1 11 6 1 1t 7 1 1 1 4 1 f 1 a 7 1n 5 a 6 4 1 8 2 "
    "2 2 m 1 7 1 2 1 5 1 a 2 2 2 3 2 1 6 1 5 7 2 7 3 5 3v 23 5 a 4 4 u 1y 1 1 8 a 4m 1i 2 9 n 6 y 1t 3 1 b a 12 1l 7 a 1i r 2 "
    "f 4 c 4 7 55 1n 2t 2b c 8 2 1 2 8 1 2 1 u 1 2 2 9 c a 1y 8 2 1a 2 8 1 2 r 1r 8 1 8 22 3 1 i 21 7b 9 1 19 1 9 f t 5 u 2 m "
    "1 e 21 7 1 2 1 18 3 1 1 2 1 9 8 a 6 6 1 2 1 11 1 2 1 6 7 a 8m n 55 1 f l 17 pm 2u 33 h 5g 218 2p f tr 34h g7 6nt ft 7 v "
    "1 a 6 27 1 a 6 u 2 5 b 1j 9 4 c a 1 7 1 l 5 j j4 2f 2x 23 4 1l 7 h 1s 2 1 2 b 2 e 4qg 8 ye 16 9 6w7 4 1 7 1 2 1 83 19 3 "
    "h 4 8 b0 1s4 2z 5 d 3 9 7 a 3 2 3mp 1a 2 n f2 5 3 6 8 8 2 7 u 4 44 3 4b k 30 p 3r 2d 1 1z 1 2 2 1 2 2 2 4 1 c 1 1 1 7 1 "
    "1t 1 4 2 8 1 7 1 s 1 4 1 5 1 1 3 7 1 9g 2 p 1 p 1 v 1 p 1 v 1 p 1 v 1 p 1 v 1 p 1 8 2 1e e8 1j 4 1e 8 1 e 1 m 5 1 f uo v "
    "69 7 1 h 2 7 1 2 1 5 5x 19 3 e 2 a 4 1 8x v h 1m yu 7 1 4 1 2 1 f 1 5h 2 g 15 24 4 a lz 1n 1 3 1 4 24 19 1 f 5e 4 1 r 1 "
    "2 1 1 2 1 1 a 1 4 1 1 1 1 6 1 4 1 1 1 1 1 1 3 1 2 1 1 2 1 1 1 1 1 1 1 1 1 1 2 1 1 2 4 1 7 1 4 1 4 1 1 1 a 1 h 5 3 1 5 1 "
    "h g4 d 25f a"
)
