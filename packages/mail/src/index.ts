export { type MailConfig, mailConfig, mailSettings } from './mail-settings.ts';
export { paragraphs, quoted } from './mail-text.ts';
export { type Mail, Mailer, MailRefused } from './mailer.ts';
