package org.junit.platform.launcher;

import org.junit.platform.engine.Filter;
import org.junit.platform.engine.TestDescriptor;

public interface PostDiscoveryFilter extends Filter<TestDescriptor> {}
