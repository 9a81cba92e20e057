export * from './event-data.ts';
export * from './event-types.ts';
