/** A sign-in as its row in the database says. */
export interface SignedInUser {
  id: string;
  email: string;
  name: string;
  emailVerified: boolean;
}

/** Who sent a request. */
export interface HolderSession {
  id: string;
  user: SignedInUser;
  /** To be sent along with the answer: a session that is used goes on. */
  setCookies: readonly string[];
}
