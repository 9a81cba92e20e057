import { type Command, Help, type HelpConfiguration, type Option } from 'commander';

/** The form of `--help`: options that a command needs are in its usage line, and are marked in the list. */
export const HELP: HelpConfiguration = {
  showGlobalOptions: true,
  commandUsage(command: Command) {
    const usage = Help.prototype.commandUsage.call(this, command);
    const required = command.options.filter(({ mandatory }) => mandatory).map(longFlag);
    return required.length === 0 ? usage : usage.replace('[options]', `${required.join(' ')} [options]`);
  },
  optionDescription(option: Option) {
    const description = Help.prototype.optionDescription.call(this, option);
    return option.mandatory ? `${description} (required)` : description;
  },
};

/** `-f, --file <file>` → `--file <file>` */
function longFlag({ flags }: Option): string {
  return flags.replace(/^-\w, /, '');
}
