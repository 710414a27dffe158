/** How long a model thinks before it answers, where it can think. */
export const EFFORTS = ['off', 'minimal', 'low', 'medium', 'high'] as const;
export type Effort = (typeof EFFORTS)[number];
