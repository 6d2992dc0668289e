//! The functions that a web page calls. Text is UTF-8 in the linear memory.
#![allow(unsafe_code, reason = "exported functions with pointers to text")]

use std::mem;
use std::sync::{Mutex, Once};

/// What the panic says that has ended a call.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// Allocates room for a request of this many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn allocate(length: usize) -> *mut u8 {
    Box::leak(vec![0; length].into_boxed_slice()).as_mut_ptr()
}

/// Frees what [`allocate`] or [`call`] has returned.
///
/// # Safety
/// `pointer` and `length` are of one of these calls, and nothing uses the memory any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn release(pointer: *mut u8, length: usize) {
    // SAFETY: the caller says that this is a leaked box.
    drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(pointer, length)) });
}

/// Answers the request at `pointer`, which this frees. The result has the address of the answer in
/// its upper half and its length in bytes in its lower half.
///
/// # Safety
/// `pointer` and `length` are those of [`allocate`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn call(pointer: *mut u8, length: usize) -> u64 {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| std::panic::set_hook(Box::new(|panic| note(panic.to_string()))));
    // SAFETY: the caller says that this is the box of `allocate`.
    let request = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(pointer, length)) };
    pass(crate::answer(&String::from_utf8_lossy(&request)))
}

/// What the panic says that has ended the last call, as [`call`] passes it; empty without one, as
/// when the memory was exhausted.
#[unsafe(no_mangle)]
pub extern "C" fn panic_message() -> u64 {
    pass(PANIC.lock().map(|message| message.clone()).unwrap_or_default())
}

fn note(message: String) {
    if let Ok(mut noted) = PANIC.lock() {
        *noted = message.replace('\n', " ");
    }
}

fn pass(text: String) -> u64 {
    let mut text = mem::ManuallyDrop::new(text.into_bytes().into_boxed_slice());
    (text.as_mut_ptr() as u64) << 32 | text.len() as u64
}
