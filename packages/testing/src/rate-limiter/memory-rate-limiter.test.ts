import { createMemoryRateLimiter } from '@patchbay/core';
import { describe, it } from 'vitest';
import { rateLimiterConformance } from './rate-limiter-conformance.ts';

describe('the rate limiter in memory', () => {
  rateLimiterConformance(
    { describe, it },
    { create: (time) => createMemoryRateLimiter({ monotonic: () => time.now() }) },
  );
});
