// The stand-in of Stripe.js: elements of plain fields in the page, and a confirmation token from what they contain.
/** The script, for the twin at this root. */
export const stripeJs = (root: string): string => `// A stand-in of Stripe.js for tests.
(() => {
  const root = ${JSON.stringify(root)};
  const FIELDS = [['number', 'Card number'], ['expiry', 'Expiry (MM/YY)'], ['cvc', 'CVC']];
  const error = (code, message) => ({ error: { type: 'validation_error', code, message } });

  function Element() {
    const inputs = {};
    const heard = {};
    const tell = (type, event) => (heard[type] ?? []).forEach((hear) => hear(event));
    const value = (name) => inputs[name]?.value.trim() ?? '';
    const isComplete = () => FIELDS.every(([name]) => value(name) !== '');
    const mount = (place) => {
      const node = typeof place === 'string' ? document.querySelector(place) : place;
      for (const [name, text] of FIELDS) {
        const label = document.createElement('label');
        const input = document.createElement('input');
        input.name = name;
        input.autocomplete = 'off';
        input.addEventListener('input', () => tell('change', { complete: isComplete(), empty: !value(name) }));
        label.append(text, ' ', input);
        node.append(label);
        inputs[name] = input;
      }
      queueMicrotask(() => tell('ready', {}));
    };
    const remove = () => Object.values(inputs).forEach((input) => input.closest('label').remove());
    const on = (type, hear) => (heard[type] ??= []).push(hear);
    return { mount, on, value, isComplete, unmount: remove, destroy: remove, update() {}, focus: () => inputs.number?.focus() };
  }

  function Elements(options) {
    let element;
    return {
      options,
      create(type) {
        if (type !== 'payment' && type !== 'card') throw new Error('The stand-in has no element ' + type);
        element = Element();
        return element;
      },
      getElement: () => element ?? null,
      update: (more) => Object.assign(options, more),
      async submit() {
        if (element === undefined) return error('incomplete', 'No element is mounted.');
        return element.isComplete() ? {} : error('incomplete', 'Your card details are incomplete.');
      },
    };
  }

  globalThis.Stripe = (publishableKey) => ({
    elements: Elements,
    async createConfirmationToken({ elements, params = {} }) {
      const element = elements.getElement();
      const [month = '', year = ''] = element.value('expiry').split('/').map((part) => part.trim());
      const sent = new URLSearchParams({
        'payment_method_data[type]': 'card',
        'payment_method_data[card][number]': element.value('number').replaceAll(' ', ''),
        'payment_method_data[card][exp_month]': month,
        'payment_method_data[card][exp_year]': year,
        'payment_method_data[card][cvc]': element.value('cvc'),
      });
      if (params.return_url !== undefined) sent.set('return_url', params.return_url);
      const headers = { Authorization: 'Bearer ' + publishableKey };
      try {
        const response = await fetch(root + '/v1/confirmation_tokens', { method: 'POST', headers, body: sent });
        const answer = await response.json();
        return response.ok ? { confirmationToken: answer } : { error: answer.error };
      } catch (failure) {
        return { error: { type: 'api_connection_error', message: String(failure) } };
      }
    },
  });
  globalThis.Stripe.version = 'endive';
})();
`;
