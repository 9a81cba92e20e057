/** The text that makes the provider of `fat-provider-thread.ts` fail. */
export const FAILING = 'please fail';
