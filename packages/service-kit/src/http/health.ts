import process from 'node:process';

export const VERSION = '0.1.0';

/** Returns the body of GET /health: this process serves. It checks no dependency. */
export function healthBody(service: string): Record<string, unknown> {
  return { status: 'ok', service, version: VERSION, uptime_seconds: Math.floor(process.uptime()) };
}
