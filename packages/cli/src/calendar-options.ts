import { WEEK_DAYS } from '@model-gateway/shared/rules';
import { type Command, Option } from 'commander';

export interface CalendarOptions {
  timezone?: string;
  weekStarts?: string;
}

/** Adds the calendar in which budgets of an account begin and end. @param otherwise what it is without */
export function addCalendarOptions(command: Command, otherwise: { timezone: string; day: string }): Command {
  return command
    .option('--timezone <name>', `time zone of its budgets, such as Europe/Berlin (${otherwise.timezone})`)
    .addOption(
      new Option('--week-starts <day>', `first day of the weeks of its budgets (${otherwise.day})`).choices(
        WEEK_DAYS,
      ),
    );
}
