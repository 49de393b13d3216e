// Inputs for a reference to a secret, and for the key that browsers may see.
import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';

interface ReferenceInputProps {
  readonly label: string;
  readonly description?: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export const ReferenceInput = ({ onChange, ...props }: ReferenceInputProps): ReactNode => (
  <TextInput
    {...props}
    onChange={({ currentTarget }) => onChange(currentTarget.value)}
    maxLength={1_024}
    autoComplete="off"
    spellCheck={false}
  />
);

export const PublishableKeyInput = (props: Pick<ReferenceInputProps, 'value' | 'onChange'>): ReactNode => (
  <ReferenceInput
    label="Publishable key"
    description="Optional: the key itself, which browsers see, for the processor’s own fields"
    placeholder="pk_…"
    {...props}
  />
);

export type SecretPlace = 'env' | 'file';

/** A name that nothing else has: `env:STRIPE_EU_KEY`, `file:/run/secrets/stripe_eu_key`. */
export function suggestedReference(place: SecretPlace, processor: string, name: string): string {
  const words = `${processor} ${name} key`.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const joined = words.join('_');
  return place === 'env' ? `env:${joined.toUpperCase()}` : `file:/run/secrets/${joined.toLowerCase()}`;
}

/** The texts that are not blank. */
export const given = <Name extends string>(
  texts: { readonly [N in Name]: string },
): { readonly [N in Name]?: string } =>
  Object.assign(
    {},
    ...Object.entries<string>(texts).map(([name, text]) => (text.trim() === '' ? {} : { [name]: text.trim() })),
  );
