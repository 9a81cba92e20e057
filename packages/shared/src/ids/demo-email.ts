/** The account with the made-up usage of `npm start`. */
export const DEMO_EMAIL = 'demo@example.com';
