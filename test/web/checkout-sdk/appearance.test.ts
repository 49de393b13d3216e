// The merchant's styles: values go in, and nothing else.
import { expect } from 'chai';
import { faultsOfAppearance, validVariables } from '../../../web/checkout-sdk/src/shared/appearance.ts';

describe('the appearance of the checkout', () => {
  it('takes colours, fonts and lengths', () => {
    const variables = {
      colorPrimary: '#2f52d9',
      colorText: 'rebeccapurple',
      colorField: 'rgb(255 255 255 / 80%)',
      colorBorder: 'hsl(210deg, 20%, 80%)',
      colorDanger: 'oklch(0.6 0.2 25)',
      fontFamily: `"Inter Tight", 'Segoe UI', Georgia, serif`,
      fontSize: '1.125rem',
      borderRadius: '0px',
    };
    expect(faultsOfAppearance({ theme: 'dark', variables })).to.deep.equal([]);
    expect(Object.fromEntries(validVariables({ variables }))).to.deep.equal(variables);
  });

  const injections: readonly (readonly [string, string])[] = [
    ['colorPrimary', 'url(https://evil.example/x)'],
    ['colorPrimary', 'red; background: url(//evil.example)'],
    ['colorPrimary', 'var(--other)'],
    ['colorPrimary', 'expression(alert(1))'],
    ['colorText', 'red}body{display:none'],
    ['colorText', '#fff/**/'],
    ['fontFamily', 'Arial; } * { display: none'],
    ['fontFamily', '"a"b", serif'],
    ['fontFamily', 'url(x)'],
    ['fontSize', '0px'],
    ['fontSize', 'calc(1px + 1vw)'],
    ['borderRadius', '9999px'],
    ['colorPrimary', ''],
    ['position', 'fixed'],
    ['__proto__', 'red'],
    ['constructor', 'red'],
  ];
  for (const [name, value] of injections) {
    it(`leaves out ${name}: ${value}`, () => {
      const variables = JSON.parse(`{${JSON.stringify(name)}: ${JSON.stringify(value)}}`);
      expect(faultsOfAppearance({ variables })).to.deep.equal([`appearance.variables.${name}`]);
      expect(validVariables({ variables })).to.deep.equal([]);
    });
  }
});
