"""Prints the order that batches_test.cpp expects, from a second implementation of the same rule."""


def threefry(key, counter):
    low, high = key & 0xFFFFFFFF, key >> 32
    keys = [low, high, 0x1BD11BDA ^ low ^ high]
    a, b = (counter + low) & 0xFFFFFFFF, ((counter >> 32) + high) & 0xFFFFFFFF
    for group in range(5):
        for rotation in [(13, 15, 26, 6), (17, 29, 16, 24)][group % 2]:
            a = (a + b) & 0xFFFFFFFF
            b = ((b << rotation | b >> (32 - rotation)) & 0xFFFFFFFF) ^ a
        a = (a + keys[(group + 1) % 3]) & 0xFFFFFFFF
        b = (b + keys[(group + 2) % 3] + group + 1) & 0xFFFFFFFF
    return a | b << 32


def shuffled(size, seed, epoch):
    key = threefry(threefry(seed, int.from_bytes(b"shuffle", "big")), epoch)
    order, draws = list(range(size)), 0
    for left in range(size, 1, -1):
        # No draw is rejected here: 2**64 % left is smaller than 10.
        other = threefry(key, draws) % left
        draws += 1
        order[left - 1], order[other] = order[other], order[left - 1]
    return order


assert threefry(0, 0) == 0x99BA4EFE6B200159  # published with Random123
print(shuffled(10, 0, 0), shuffled(10, 7, 3))
