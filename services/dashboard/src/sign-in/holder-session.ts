/** A row of dashboard_users; `id` is what the control plane calls the sign-in id. */
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
  /** Cookies for the response: using a session extends it. */
  setCookies: readonly string[];
}
