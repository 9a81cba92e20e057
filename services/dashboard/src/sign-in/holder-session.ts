/** A row of dashboard_users; `id` is what the control plane calls the sign-in id. */
export interface SignedInUser {
  id: string;
  email: string;
  name: string;
  emailVerified: boolean;
  /** True if a password needs a code of an app as well. */
  hasApp: boolean;
}

/** The session that sent a request. */
export interface HolderSession {
  id: string;
  user: SignedInUser;
  /** Last proof of identity, such as the sign-in. */
  provedAt: Date;
  /** Exact to a few minutes. */
  usedAt: Date;
  /** Account that its pages show; null: the user's own. */
  activeAccountId: string | null;
  /** Account that its user, with a role in the installation, looks at as the owner sees it; null: none. */
  viewedAccountId: string | null;
  /** Cookies for the response: using a session extends it. */
  setCookies: readonly string[];
}
