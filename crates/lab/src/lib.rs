//! Starts JVMs under the agent and reads what they saw.
