/** A sign-in, as stored in the database. */
export interface SignedInUser {
  id: string;
  email: string;
  name: string;
  emailVerified: boolean;
}

/** The session that sent a request. */
export interface HolderSession {
  id: string;
  user: SignedInUser;
  /** To be sent with the answer, because a session that is used is extended. */
  setCookies: readonly string[];
}
