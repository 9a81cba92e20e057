/** The most characters that the name of an account, a key, a team or a pool may have. */
export const MAX_NAME_LENGTH = 200;
