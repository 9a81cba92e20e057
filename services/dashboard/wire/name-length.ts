/** The maximum length, in characters, of the name of an account, a key, a team or a pool. */
export const MAX_NAME_LENGTH = 200;
