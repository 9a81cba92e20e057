export * from './event-data.ts';
export * from './event-titles.ts';
export * from './event-types.ts';
