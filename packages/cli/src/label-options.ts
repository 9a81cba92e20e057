import { isUsageLabel, TAG_LABEL } from '@model-gateway/shared';
import { type Command, InvalidArgumentError } from 'commander';

export interface LabelOptions {
  /** Values by name. */
  tag?: ReadonlyMap<string, readonly string[]>;
  endUser?: readonly string[];
  session?: readonly string[];
}

/** Adds the options that name tags, end users and sessions. Each can be repeated. */
export function addLabelOptions(command: Command): Command {
  return command
    .option(
      '--tag <name=value>',
      'only requests with this tag; repeatable: any of several values of a name',
      addTag,
    )
    .option('--end-user <id>', 'only requests of this end user; repeatable', addValue)
    .option('--session <id>', 'only requests of this session; repeatable', addValue);
}

/** Returns the filters of a call. */
export function labelFilters({ endUser = [], session = [], tag = new Map() }: LabelOptions) {
  return [
    ...[...tag].map(([name, values]) => ({ label: `${TAG_LABEL}${name}`, values: [...values] })),
    ...(endUser.length === 0 ? [] : [{ label: 'end_user', values: [...endUser] }]),
    ...(session.length === 0 ? [] : [{ label: 'session', values: [...session] }]),
  ];
}

function addTag(text: string, before: ReadonlyMap<string, readonly string[]> = new Map()) {
  const [, name = '', value = ''] = /^([^=]*)=(.+)$/s.exec(text) ?? [];
  if (!isUsageLabel(`${TAG_LABEL}${name}`) || value === '')
    throw new InvalidArgumentError('It must be a name and a value, such as project=alpha.');
  return new Map([...before, [name, [...(before.get(name) ?? []), value]]]);
}

function addValue(text: string, before: readonly string[] = []): string[] {
  if (text === '') throw new InvalidArgumentError('It must not be empty.');
  return [...before, text];
}
