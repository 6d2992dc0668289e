//! A file of lines with rotation by size. A disk that is full, or a folder that is gone, costs lines
//! and nothing else: the file is opened again for the next line.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Where lines go, and how much of them is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rotation {
    /// The file.
    pub file: PathBuf,
    /// The size above which it is rotated, bytes.
    pub max_size: u64,
    /// Rotated files that are kept: `FILE.1` is the latest.
    pub keep: u32,
}

/// The file.
#[derive(Debug)]
pub struct RecordFile {
    rotation: Rotation,
    open: Option<File>,
}

impl RecordFile {
    /// Nothing is opened before the first line.
    pub fn new(rotation: Rotation) -> Self {
        Self { rotation, open: None }
    }

    /// Appends a line, in one piece or not at all.
    ///
    /// # Errors
    /// It is lost.
    pub fn append(&mut self, mut line: String) -> io::Result<()> {
        line.push('\n');
        self.write(line.as_bytes())
    }

    /// Opens the file again for the next line, because somebody may have moved it.
    pub fn reopen(&mut self, rotation: Rotation) {
        self.rotation = rotation;
        self.open = None;
    }

    fn write(&mut self, line: &[u8]) -> io::Result<()> {
        let mut file = match self.open.take() {
            Some(file) => file,
            None => open(&self.rotation.file)?,
        };
        let status = file.metadata()?;
        let size = status.len();
        let must_rotate =
            status.is_file() && size > 0 && size + line.len() as u64 > self.rotation.max_size;
        if must_rotate {
            rotate(&self.rotation)?;
            file = open(&self.rotation.file)?;
        }
        let before = file.metadata()?.len();
        let written = file.write_all(line);
        if written.is_err() && status.is_file() {
            // Part of a line would spoil the next one.
            let _ = file.set_len(before);
        }
        written?;
        self.open = Some(file);
        Ok(())
    }
}

/// Opens a file to append to it. A pipe without a reader is an error instead of a wait.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true).mode(0o640).custom_flags(libc::O_NONBLOCK);
    options.open(path)
}

/// `FILE.1` becomes `FILE.2` and so on, then `FILE` becomes `FILE.1`.
fn rotate(rotation: &Rotation) -> io::Result<()> {
    if rotation.keep == 0 {
        return fs::remove_file(&rotation.file);
    }
    for number in (1..rotation.keep).rev() {
        let older = numbered(&rotation.file, number + 1);
        match fs::rename(numbered(&rotation.file, number), older) {
            Err(err) if err.kind() != io::ErrorKind::NotFound => return Err(err),
            _ => {}
        }
    }
    fs::rename(&rotation.file, numbered(&rotation.file, 1))
}

fn numbered(path: &Path, number: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rotation(file: PathBuf) -> Rotation {
        Rotation { file, max_size: 10, keep: 2 }
    }

    #[test]
    fn a_full_file_becomes_the_first_of_the_old_ones() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("records");
        let mut file = RecordFile::new(rotation(path.clone()));
        for line in ["aaaa", "bbbb", "cccc", "dddd", "eeee", "ffff", "gggg"] {
            file.append(line.to_owned()).unwrap();
        }
        let text = |path: PathBuf| fs::read_to_string(path).unwrap();
        assert_eq!(text(path.clone()), "gggg\n");
        assert_eq!(text(numbered(&path, 1)), "eeee\nffff\n");
        assert_eq!(text(numbered(&path, 2)), "cccc\ndddd\n");
        assert!(!numbered(&path, 3).exists());
    }

    #[test]
    fn lines_of_an_earlier_run_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("records");
        fs::write(&path, "old\n").unwrap();
        RecordFile::new(rotation(path.clone())).append("new".to_owned()).unwrap();
        assert_eq!(fs::read_to_string(path).unwrap(), "old\nnew\n");
    }

    #[test]
    fn a_full_disk_costs_lines_only() {
        let mut file = RecordFile::new(rotation("/dev/full".into()));
        for _ in 0..2 {
            let error = file.append("lost".to_owned()).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        }
    }

    #[test]
    fn a_folder_that_comes_back_is_used_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("later/records");
        let mut file = RecordFile::new(rotation(path.clone()));
        assert!(file.append("lost".to_owned()).is_err());
        fs::create_dir(path.parent().unwrap()).unwrap();
        file.append("kept".to_owned()).unwrap();
        assert_eq!(fs::read_to_string(path).unwrap(), "kept\n");
    }

    #[test]
    fn a_file_that_was_moved_is_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("records");
        let mut file = RecordFile::new(rotation(path.clone()));
        file.append("a".to_owned()).unwrap();
        fs::rename(&path, folder.path().join("moved")).unwrap();
        file.reopen(rotation(path.clone()));
        file.append("b".to_owned()).unwrap();
        assert_eq!(fs::read_to_string(path).unwrap(), "b\n");
    }

    #[test]
    fn a_pipe_without_a_reader_does_not_block() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let mut file = RecordFile::new(rotation(path));
        assert!(file.append("lost".to_owned()).is_err());
    }
}
