// The search box: payments by id, order, customer or last four digits, and pages by name; `/` leads to it.
import { Combobox, Kbd, TextInput, useCombobox } from '@mantine/core';
import { MagnifyingGlassIcon } from '@radix-ui/react-icons';
import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { useShortcuts } from './keyboard.tsx';
import { useNavigation } from './navigation.tsx';
import { meaningsOf } from './search.ts';
import classes from './search-box.module.css';

const WORDS = 'Search by payment, order, customer or last four digits';

export function SearchBox(): ReactNode {
  const [text, setText] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const router = useRouter();
  const navigation = useNavigation();
  const found = useMemo(() => {
    const pages = navigation.flatMap(({ entries }) => entries);
    const isPage = (to: string): boolean => pages.some((page) => page.to === to);
    return meaningsOf(text, pages).filter(({ path }) => isPage('/payments') || isPage(path));
  }, [text, navigation]);
  const box = useCombobox({ onDropdownClose: () => box.resetSelectedOption() });
  useShortcuts([{ keys: '/', does: 'Search', run: () => input.current?.focus() }]);
  const go = (path: string): void => {
    setText('');
    box.closeDropdown();
    input.current?.blur();
    router.history.push(`/dashboard${path}`);
  };
  return (
    <Combobox store={box} onOptionSubmit={go} shadow="md" radius="md" offset={6}>
      <Combobox.Target>
        <TextInput
          ref={input}
          className={classes['search'] ?? ''}
          aria-label={WORDS}
          placeholder="Search"
          size="sm"
          type="search"
          autoComplete="off"
          spellCheck={false}
          leftSection={<MagnifyingGlassIcon />}
          rightSection={text === '' ? <Kbd size="xs">/</Kbd> : null}
          value={text}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value);
            box.openDropdown();
            box.selectFirstOption();
          }}
          onFocus={() => box.openDropdown()}
          onBlur={() => box.closeDropdown()}
          onKeyDown={(event) => {
            if (event.key === 'Escape') input.current?.blur();
            const [first] = found;
            if (event.key === 'Enter' && box.selectedOptionIndex === -1 && first !== undefined) go(first.path);
          }}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={found.length === 0}>
        <Combobox.Options aria-label="What it may be">
          {found.map(({ path, label, detail }) => (
            <Combobox.Option key={path} value={path} className={classes['option'] ?? ''}>
              <span className={classes['label']}>{label}</span>
              <span className={classes['detail']}>{detail}</span>
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
