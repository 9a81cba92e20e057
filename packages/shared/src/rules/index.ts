export * from './budget-window.ts';
export * from './combine-rules.ts';
export * from './effective-rules.ts';
export * from './parse-rules.ts';
export * from './rule-owner.ts';
export * from './rules.ts';
export * from './rules-report.ts';
