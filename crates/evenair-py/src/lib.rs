//! evenair._core
