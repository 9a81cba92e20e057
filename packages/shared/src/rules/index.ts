export * from './budget-window.ts';
export * from './effective-rules.ts';
export * from './glob-matcher.ts';
export * from './listing-rules.ts';
export * from './rule-owner.ts';
export * from './rules.ts';
