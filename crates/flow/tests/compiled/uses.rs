//! What is said of caught objects.
