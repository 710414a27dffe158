import { describeLimits } from '../../test/conformance/limits.ts';
import { monotonicMs } from '../lib/monotonic.ts';
import { createMemoryLimits } from './memory-limits.ts';

describeLimits('of one process', () => {
  const limits = createMemoryLimits(monotonicMs);
  return { doors: [limits, limits], remove() {} };
});
