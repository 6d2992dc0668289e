//! How much memory a packet takes in a Linux host.

/// Bytes of the buffer of a packet of `bytes` at IP level, as Linux's `truesize` counts them: `struct sk_buff`, headroom, packet and
/// `struct skb_shared_info`, each in whole cache lines (`SKB_TRUESIZE` in `include/linux/skbuff.h`, of a 64-bit kernel). A
/// driver may allocate more.
pub(crate) fn truesize(bytes: u32) -> u64 {
    const SK_BUFF: u64 = 256;
    const HEADROOM: u64 = 64;
    const SHARED_INFO: u64 = 320;
    SK_BUFF + HEADROOM + u64::from(bytes).next_multiple_of(64) + SHARED_INFO
}
