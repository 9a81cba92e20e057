/** The secrets that the services of a test gateway share. */
export const TEST_SECRETS = {
  INTERNAL_TOKEN: 'test-internal-token-0123456789abcdef',
  ADMIN_TOKEN: 'test-admin-token-0123456789abcdefghij',
  API_KEY_LOOKUP_PEPPER: 'test-pepper-0123456789abcdefghijklmnop',
  SESSION_SECRET: 'test-session-secret-0123456789abcdefg',
} as const;
