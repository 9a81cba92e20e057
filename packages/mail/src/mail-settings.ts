import { isLoopback } from '@model-gateway/service-kit';
import { z } from 'zod';

/** Settings of mail; documented in .env.example. */
export const mailSettings = {
  SMTP_URL: z
    .string()
    .refine(isSmtpUrl, 'expected smtp://[user:password@]host[:port], or smtps:// for TLS from the start')
    .optional(),
  MAIL_FROM: z
    .string()
    .max(320, 'must have at most 320 characters')
    .regex(/^[^\r\n]*@[^\r\n@]+$/, 'expected an e-mail address, or Name <address>')
    .optional(),
};

export interface MailConfig {
  /** An smtp: or smtps: URL, with the password. */
  url: string;
  from: string;
  /** Requires STARTTLS, so that the SMTP password never crosses a network unencrypted. */
  requiresTls: boolean;
}

/**
 * @param publicUrl URL of the dashboard, whose host is the domain of the default sender
 * @returns undefined when no mail server is set
 */
export function mailConfig(
  { SMTP_URL, MAIL_FROM }: { SMTP_URL?: string | undefined; MAIL_FROM?: string | undefined },
  { productName, publicUrl }: { productName: string; publicUrl: string | undefined },
): MailConfig | undefined {
  if (SMTP_URL === undefined) return undefined;
  const { hostname, password, protocol } = new URL(SMTP_URL);
  return {
    url: SMTP_URL,
    from: MAIL_FROM ?? `${productName} <no-reply@${mailDomain(publicUrl)}>`,
    requiresTls: protocol === 'smtp:' && password !== '' && !isLoopback(hostname),
  };
}

function isSmtpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== '' && /^\/?$/.test(url.pathname);
}

/** Returns the domain of the default sender. An IP address is not a valid mail domain. */
function mailDomain(publicUrl: string | undefined): string {
  const hostname = publicUrl === undefined ? '' : new URL(publicUrl).hostname;
  return /[a-z]$/i.test(hostname) ? hostname : 'localhost';
}
