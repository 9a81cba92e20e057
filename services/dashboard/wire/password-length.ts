/** The allowed length of a new password, in characters. */
export const PASSWORD_LENGTH = { min: 10, max: 128 } as const;
