export * from './roles.ts';
export * from './scopes.ts';
