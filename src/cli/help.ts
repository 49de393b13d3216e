// The help of commands: `--help` has the options of the command itself, `--help settings` the settings that it takes.
import { type Command, Help, type HelpConfiguration, type Option } from 'commander';
import { SETTING_NAMES, SETTINGS, type Setting } from '../settings.ts';

export const SETTINGS_HEADING = 'Settings (a flag overrides the environment):';

const isSetting = ({ helpGroupHeading }: Option): boolean => helpGroupHeading === SETTINGS_HEADING;

/** True if the command line has `--help settings`. */
export const isAskedForSettings = (): boolean =>
  process.argv.some((word, at) => /^(?:--help|-h)$/.test(word) && process.argv[at + 1] === 'settings');

/** A line on the settings of a command; none for a command without. */
export function settingsHint(command: Command): readonly string[] {
  const count = command.options.filter(isSetting).length;
  return count === 0 ? [] : [`Settings: --help settings shows the ${count} that this command takes.`];
}

/** Without the settings among the options; or with them alone, and for a group of commands with all that exist. */
export const helpConfiguration: HelpConfiguration = {
  sortSubcommands: false,
  subcommandTerm: (command) => command.name(),
  visibleOptions(command) {
    const isShown = (option: Option): boolean => isSetting(option) === isAskedForSettings();
    return Help.prototype.visibleOptions.call(this, command).filter(isShown);
  },
  formatHelp(command, helper) {
    const isOfGroup = command.commands.length > 0 && command.options.filter(isSetting).length === 0;
    return isOfGroup && isAskedForSettings()
      ? `${allSettings()}\n`
      : Help.prototype.formatHelp.call(this, command, helper);
  },
};

function allSettings(): string {
  const lines = SETTING_NAMES.flatMap((name) => {
    const { variable, flag, meaning }: Setting = SETTINGS[name];
    return [`  ${variable}${flag === undefined ? '' : `, ${flag}`}`, `      ${meaning}`];
  });
  return ['Settings of all commands (a flag overrides the environment):', ...lines].join('\n');
}
