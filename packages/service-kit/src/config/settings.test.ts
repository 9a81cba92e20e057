import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ConfigError, parseConfig } from './parse-config.ts';
import { addressListSetting, DEVELOPMENT_PEPPER, pepperSetting, portSetting } from './settings.ts';

const schema = (production: boolean) =>
  z.object({
    PORT: portSetting(8080),
    API_KEY_LOOKUP_PEPPER: pepperSetting(production),
    CONTROL_PLANE_ADDRESS: addressListSetting('127.0.0.1:50051'),
  });

function problemsOf(production: boolean, environment: Record<string, string>): readonly string[] {
  try {
    parseConfig(schema(production), environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('settings', () => {
  it('have development defaults, and an empty variable is an unset one', () => {
    expect(parseConfig(schema(false), { PORT: '' })).toEqual({
      PORT: 8080,
      API_KEY_LOOKUP_PEPPER: DEVELOPMENT_PEPPER,
      CONTROL_PLANE_ADDRESS: ['127.0.0.1:50051'],
    });
  });

  it('report every problem at once, each with its name', () => {
    const problems = problemsOf(true, { PORT: '99999', CONTROL_PLANE_ADDRESS: 'nowhere' });
    expect(problems).toHaveLength(3);
    expect(problems[0]).toMatch(/^PORT: /);
    expect(problems[1]).toMatch(/^API_KEY_LOOKUP_PEPPER: is required/);
    expect(problems[2]).toMatch(/^CONTROL_PLANE_ADDRESS\[0\]: expected host:port/);
  });

  it('refuse the development pepper and a short one in production', () => {
    expect(problemsOf(true, { API_KEY_LOOKUP_PEPPER: DEVELOPMENT_PEPPER })).toEqual([
      'API_KEY_LOOKUP_PEPPER: is the development secret; set one of your own',
    ]);
    expect(problemsOf(true, { API_KEY_LOOKUP_PEPPER: 'short' })).toEqual([
      'API_KEY_LOOKUP_PEPPER: must be at least 32 bytes long',
    ]);
    expect(problemsOf(true, { API_KEY_LOOKUP_PEPPER: 'x'.repeat(32) })).toEqual([]);
  });

  it('accept several control planes, IPv6 included', () => {
    const config = parseConfig(schema(false), { CONTROL_PLANE_ADDRESS: 'a:1, [::1]:2' });
    expect(config.CONTROL_PLANE_ADDRESS).toEqual(['a:1', '[::1]:2']);
  });
});
