//! A class path and a JDK as one model.
