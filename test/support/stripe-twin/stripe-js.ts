// The stand-in of Stripe.js: a payment element whose fields are a frame of the twin's, and a confirmation token of what
// they contain. No number reaches the page around it.

/** The path of the page with the fields. */
export const FIELDS_AT = '/v3/elements-inner-payment.html';

/** The script, for the twin at this root. */
export const stripeJs = (root: string): string => `// A stand-in of Stripe.js for tests.
(() => {
  const root = ${JSON.stringify(root)};
  const error = (type, message) => ({ error: { type, message } });

  function Element(publishableKey, options) {
    const heard = {};
    const asked = new Map();
    let frame;
    let readOnly = false;
    const tell = (type, event) => (heard[type] ?? []).forEach((hear) => hear(event));
    const post = (message) => frame?.contentWindow?.postMessage(message, root);
    const show = () => post({ kind: 'show', locale: options.locale, appearance: options.appearance, readOnly });
    const onMessage = ({ source, origin, data }) => {
      if (frame === undefined || source !== frame.contentWindow || origin !== root) return;
      if (data.kind === 'loaded') show();
      if (data.kind === 'shown') {
        frame.style.height = data.height + 'px';
        if (data.isFirst) tell('ready', { elementType: 'payment' });
      }
      if (data.kind === 'change') tell('change', { elementType: 'payment', complete: data.complete, empty: data.empty });
      if (data.kind === 'answer') asked.get(data.id)?.(data.answer);
    };
    return {
      on(type, hear) {
        (heard[type] ??= []).push(hear);
        return this;
      },
      mount(place) {
        frame = document.createElement('iframe');
        frame.title = 'Secure payment input frame';
        frame.allow = 'payment';
        frame.style.cssText = 'border: 0; width: calc(100% + 6px); margin: -3px; display: block; height: 150px; color-scheme: normal';
        frame.src = root + ${JSON.stringify(FIELDS_AT)} + '#' + publishableKey;
        window.addEventListener('message', onMessage);
        (typeof place === 'string' ? document.querySelector(place) : place).append(frame);
      },
      ask: (kind) =>
        new Promise((resolve) => {
          const id = String(asked.size);
          asked.set(id, resolve);
          post({ kind, id });
        }),
      refresh: show,
      update(more) {
        readOnly = more.readOnly ?? readOnly;
        show();
        return this;
      },
      clear: () => post({ kind: 'clear' }),
      focus: () => post({ kind: 'focus' }),
      unmount: () => frame?.remove(),
      destroy() {
        window.removeEventListener('message', onMessage);
        frame?.remove();
      },
    };
  }

  function elementsOf(publishableKey, options) {
    if (!Number.isInteger(options.amount) || options.amount < 1) throw new Error('amount must be a positive integer');
    if (!/^[a-z]{3}$/.test(options.currency)) throw new Error('currency must be in lower case');
    let element;
    return {
      create(type) {
        if (type !== 'payment') throw new Error('The stand-in has no element ' + type);
        element = Element(publishableKey, options);
        return element;
      },
      getElement: () => element ?? null,
      update(more) {
        Object.assign(options, more);
        element?.refresh();
      },
      submit: () => element?.ask('submit') ?? error('invalid_request_error', 'No element is mounted.'),
    };
  }

  globalThis.Stripe = (publishableKey) => ({
    elements: (options) => elementsOf(publishableKey, { ...options }),
    createConfirmationToken: ({ elements }) => elements.getElement().ask('token'),
  });
  globalThis.Stripe.version = 'endive';
})();
`;

/** The page with the fields: what is in it leaves it as a token only. */
export const FIELDS_PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Secure payment input</title>
<style>
  body { margin: 0; padding: 3px; font: 16px sans-serif; display: grid; grid-template-columns: 1fr 1fr; gap: 14px }
  label { display: block; font-size: 0.875em; font-weight: 500 }
  label:first-of-type, #error { grid-column: 1 / 3 }
  input { box-sizing: border-box; display: block; width: 100%; height: 46px; margin-top: 6px; padding: 0 13px; border: 1px solid; font: inherit; font-size: 16px }
  #error { margin: 0; font-size: 0.8125em }
  #error:empty { display: none }
</style></head><body>
<label><span>Card number</span><input name="number" autocomplete="cc-number" inputmode="numeric" placeholder="1234 1234 1234 1234"></label>
<label><span>Expiration date</span><input name="expiry" autocomplete="cc-exp" inputmode="numeric" placeholder="MM / YY"></label>
<label><span>Security code</span><input name="cvc" autocomplete="cc-csc" inputmode="numeric" placeholder="CVC"></label>
<p id="error" role="alert"></p>
<script>
  const key = location.hash.slice(1);
  const WORDS = {
    en: ['Card number', 'Expiration date', 'Security code', 'Your card details are incomplete.'],
    de: ['Kartennummer', 'Ablaufdatum', 'Sicherheitscode', 'Ihre Kartendaten sind unvollständig.'],
    fr: ['Numéro de carte', 'Date d’expiration', 'Code de sécurité', 'Vos informations de carte sont incomplètes.'],
    es: ['Número de tarjeta', 'Fecha de caducidad', 'Código de seguridad', 'Los datos de la tarjeta están incompletos.'],
    it: ['Numero di carta', 'Data di scadenza', 'Codice di sicurezza', 'I dati della carta sono incompleti.'],
  };
  let words = WORDS.en;
  let isFirst = true;
  const inputs = [...document.querySelectorAll('input')];
  const fault = document.querySelector('#error');
  const value = (name) => inputs.find((input) => input.name === name).value.trim();
  const isComplete = () => inputs.every((input) => input.value.trim() !== '');
  const tell = (message) => parent.postMessage(message, '*');
  const measure = () => {
    tell({ kind: 'shown', height: document.body.getBoundingClientRect().height, isFirst });
    isFirst = false;
  };
  const say = (text) => {
    fault.textContent = text;
    measure();
  };
  for (const input of inputs)
    input.addEventListener('input', () => tell({ kind: 'change', complete: isComplete(), empty: inputs.every((one) => one.value === '') }));

  function show({ locale, appearance = {}, readOnly }) {
    const { colorText, colorBackground, colorDanger, fontFamily, fontSizeBase, borderRadius } = appearance.variables ?? {};
    words = WORDS[locale] ?? WORDS.en;
    Object.assign(document.body.style, { color: colorText, fontFamily, fontSize: fontSizeBase });
    fault.style.color = colorDanger;
    document.querySelectorAll('span').forEach((span, place) => (span.textContent = words[place]));
    for (const input of inputs) {
      input.disabled = readOnly;
      Object.assign(input.style, { color: 'inherit', background: colorBackground, borderRadius });
      input.style.borderColor = appearance.rules?.['.Input']?.borderColor;
    }
    measure();
  }
  async function token() {
    const [month = '', year = ''] = value('expiry').split('/').map((part) => part.trim());
    const sent = new URLSearchParams({
      'payment_method_data[type]': 'card',
      'payment_method_data[card][number]': value('number').replaceAll(' ', ''),
      'payment_method_data[card][exp_month]': month,
      'payment_method_data[card][exp_year]': year,
      'payment_method_data[card][cvc]': value('cvc'),
    });
    try {
      const headers = { Authorization: 'Bearer ' + key };
      const response = await fetch('/v1/confirmation_tokens', { method: 'POST', headers, body: sent });
      const answer = await response.json();
      return response.ok ? { confirmationToken: answer } : { error: answer.error };
    } catch (failure) {
      return { error: { type: 'api_connection_error', message: String(failure) } };
    }
  }
  addEventListener('message', async ({ source, data }) => {
    if (source !== parent) return;
    if (data.kind === 'show') show(data);
    if (data.kind === 'focus') inputs[0].focus();
    if (data.kind === 'clear') for (const input of inputs) input.value = '';
    if (data.kind === 'submit') {
      say(isComplete() ? '' : words[3]);
      const error = { type: 'validation_error', code: 'incomplete', message: words[3] };
      tell({ kind: 'answer', id: data.id, answer: isComplete() ? {} : { error } });
    }
    if (data.kind === 'token') tell({ kind: 'answer', id: data.id, answer: await token() });
  });
  tell({ kind: 'loaded' });
</script></body></html>`;
