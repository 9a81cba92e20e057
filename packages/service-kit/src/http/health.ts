import process from 'node:process';

export const VERSION = '0.1.0';

/** The body of GET /health: this process serves. No dependency is asked. */
export function healthBody(service: string): Record<string, unknown> {
  return { status: 'ok', service, version: VERSION, uptime_seconds: Math.floor(process.uptime()) };
}
