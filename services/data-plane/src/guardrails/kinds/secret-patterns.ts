import { type Pattern, re2Pattern } from './patterns-check.ts';

/** Shapes of keys, as their issuers or secret scanners document them. */
const SHAPES: Readonly<Record<string, string>> = {
  'private key': String.raw`-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=\s\\:,.-]*-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----|[A-Za-z0-9+/=\s\\]*)`,
  'key of this gateway': String.raw`\bgw_(?:live|admin|scim)_[0-9A-Za-z]{20,}`,
  'Anthropic key': String.raw`\bsk-ant-[A-Za-z0-9_-]{20,}`,
  'OpenAI key': String.raw`\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}`,
  'AWS access key': String.raw`\b(?:AKIA|ASIA)[A-Z2-7]{16}\b`,
  'AWS secret key': String.raw`(?i)\baws_?secret_?(?:access_?)?key["']?\s*[:=]\s*["']?[A-Za-z0-9/+]{40}`,
  'GitHub token': String.raw`\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{60,})`,
  'Google API key': String.raw`\bAIza[A-Za-z0-9_-]{35}`,
  'Google OAuth secret': String.raw`\bGOCSPX-[A-Za-z0-9_-]{28}`,
  'Slack token': String.raw`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`,
  'Slack webhook': String.raw`\bhooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,}`,
  'Stripe key': String.raw`\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{20,}`,
};

export function secretPatterns(action: Pattern['action']): Pattern[] {
  return Object.entries(SHAPES).map(([name, shape]) =>
    re2Pattern(name, shape, { action, replacement: `[${name}]` }),
  );
}
