// The types of the merchants' API. Generated from /openapi.json by `npm run generate`: change the routes, not this file.
export interface paths {
    readonly "/client-session": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a client session
         * @description Needs an API key with the scope `client_tokens:write`.
         */
        readonly get: operations["getClientSession"];
        readonly put?: never;
        /**
         * Make a client session
         * @description Needs an API key with the scope `client_tokens:write`.
         */
        readonly post: operations["createClientSession"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /**
         * Change the fields of a client session
         * @description Needs an API key with the scope `client_tokens:write`.
         */
        readonly patch: operations["updateClientSession"];
        readonly trace?: never;
    };
    readonly "/client-session/client-token": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * A fresh client token for an open session
         * @description Needs an API key with the scope `client_tokens:write`.
         */
        readonly post: operations["createClientToken"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/payments/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a payment, as it is or as it was recorded at a time of the past
         * @description Needs an API key with the scope `transactions:retrieve`.
         */
        readonly get: operations["getPayment"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/payments": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List payments, newest first
         * @description Needs an API key with the scope `transactions:retrieve`.
         */
        readonly get: operations["listPayments"];
        readonly put?: never;
        /**
         * Authorize a payment; with captureMode AUTOMATIC capture it, too (which needs transactions:capture)
         * @description Needs an API key with the scope `transactions:authorize`.
         */
        readonly post: operations["authorizePayment"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/payments/{id}/resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Go on with a payment after its customer has acted
         * @description Needs an API key with the scope `transactions:authorize`.
         */
        readonly post: operations["resumePayment"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/payments/{id}/capture": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Capture what was authorized, or a part of it
         * @description Needs an API key with the scope `transactions:capture`.
         */
        readonly post: operations["capturePayment"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/payments/{id}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Cancel a payment: release what was authorized and not captured
         * @description Needs an API key with the scope `transactions:cancel`.
         */
        readonly post: operations["cancelPayment"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/payments/{id}/refund": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Refund what was captured, or a part of it
         * @description Needs an API key with the scope `transactions:refund`.
         */
        readonly post: operations["refundPayment"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/payments/{id}/adjust-authorization": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Authorize another total, where the authorization is ESTIMATED
         * @description Needs an API key with the scope `transactions:authorize`.
         */
        readonly post: operations["adjustAuthorization"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/payments/{id}/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The history of a payment, oldest first
         * @description Needs an API key with the scope `transactions:retrieve`.
         */
        readonly get: operations["listPaymentEvents"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/payments/{id}/why": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Why a payment is as it is: the chain of requests, calls, answers and notifications, oldest first
         * @description Needs an API key with the scope `transactions:retrieve`.
         */
        readonly get: operations["explainPayment"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/payments/{id}/disputes/{disputeId}/evidence": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Keep evidence against a dispute, or challenge the dispute with it
         * @description Needs an API key with the scope `transactions:refund`.
         */
        readonly post: operations["submitDisputeEvidence"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/payments/{id}/disputes/{disputeId}/accept": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Accept a dispute: the customer keeps the money
         * @description Needs an API key with the scope `transactions:refund`.
         */
        readonly post: operations["acceptDispute"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/payment-instruments": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List a customer's vaulted instruments
         * @description Needs an API key with the scope `payment_instrument:read`.
         */
        readonly get: operations["listPaymentInstruments"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/payment-instruments/{token}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a payment instrument; a deleted one, too
         * @description Needs an API key with the scope `payment_instrument:read`.
         */
        readonly get: operations["getPaymentInstrument"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a payment instrument
         * @description Needs an API key with the scope `payment_instrument:write`.
         */
        readonly delete: operations["deletePaymentInstrument"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/payment-instruments/{token}/vault": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Keep an instrument for a customer
         * @description Needs an API key with the scope `payment_instrument:write`.
         */
        readonly post: operations["vaultPaymentInstrument"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/payment-instruments/{token}/default": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Make a vaulted instrument the customer's default
         * @description Needs an API key with the scope `payment_instrument:write`.
         */
        readonly post: operations["makePaymentInstrumentDefault"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The messages of the account after one of them, in the order in which they happened: what webhooks tell, to catch up with
         * @description Needs an API key with the scope `transactions:retrieve`.
         */
        readonly get: operations["listEvents"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export interface webhooks {
    readonly message: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * A message about a payment, sent to each endpoint of the account that wants its type
         * @description Signed as [Standard Webhooks 1.0](https://www.standardwebhooks.com): verify it over the body as it came, before you parse it.
         *     A message may come twice, late and out of order; `sequence` tells which is newer. [The guide](/docs/webhooks) shows a receiver.
         */
        readonly post: operations["takeMessage"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export interface components {
    schemas: {
        readonly Address: {
            /** @description First name. */
            readonly firstName?: string | null;
            /** @description Last name. */
            readonly lastName?: string | null;
            /** @description Street and number. */
            readonly addressLine1?: string | null;
            /** @description Flat, floor or company. */
            readonly addressLine2?: string | null;
            /** @description City or town. */
            readonly city?: string | null;
            /** @description State, province or region. */
            readonly state?: string | null;
            /** @description Postal code. */
            readonly postalCode?: string | null;
            /** @description ISO 3166-1 alpha-2. */
            readonly countryCode?: components["schemas"]["CountryCode"] | null;
        };
        readonly AdjustAuthorization: {
            /** @description The new total of the authorization, minor units, at least 1; lower than before is allowed. */
            readonly amount: number;
        };
        readonly AnsweredAddress: {
            /** @description First name. */
            readonly firstName?: string;
            /** @description Last name. */
            readonly lastName?: string;
            /** @description Street and number. */
            readonly addressLine1?: string;
            /** @description Flat, floor or company. */
            readonly addressLine2?: string;
            /** @description City or town. */
            readonly city?: string;
            /** @description State, province or region. */
            readonly state?: string;
            /** @description Postal code. */
            readonly postalCode?: string;
            /** @description ISO 3166-1 alpha-2. */
            readonly countryCode?: string;
        };
        readonly AnsweredCustomer: {
            /** @description The customer's e-mail address. */
            readonly emailAddress?: string;
            /** @description The customer's mobile number. */
            readonly mobileNumber?: string;
            /** @description First name. */
            readonly firstName?: string;
            /** @description Last name. */
            readonly lastName?: string;
            /** @description The customer's tax number. */
            readonly taxId?: string;
            /** @description The customer's national document number. */
            readonly nationalDocumentId?: string;
            /** @description The address on the card's statements. */
            readonly billingAddress?: components["schemas"]["AnsweredAddress"];
            /** @description Where it is sent. */
            readonly shippingAddress?: components["schemas"]["AnsweredAddress"];
        };
        readonly AnsweredFee: {
            /** @description In minor units: 1250 for 12.50 EUR; currencies without minor units as they are. */
            readonly amount: number;
            /** @description The purpose of the fee. */
            readonly type?: string;
            /** @description Your words for it. */
            readonly description?: string;
        };
        readonly AnsweredLineItem: {
            /** @description The price of one unit, in minor units. */
            readonly amount: number;
            /** @description How many units; 1 without it. */
            readonly quantity?: number;
            /** @description Off the whole line, minor units. */
            readonly discountAmount?: number;
            /** @description On the whole line, minor units. */
            readonly taxAmount?: number;
            /** @description Your id of the item. */
            readonly itemId?: string;
            /** @description The name of the item. */
            readonly name?: string;
            /** @description Your words for it. */
            readonly description?: string;
            /** @description The tax code of the item. */
            readonly taxCode?: string;
            /** @description Whether the product is sent by post. */
            readonly productType?: string;
            /** @description More about the product. */
            readonly productData?: {
                /** @description Your stock keeping unit. */
                readonly sku?: string;
                /** @description The brand of the product. */
                readonly brand?: string;
                /** @description The color of the product. */
                readonly color?: string;
                /** @description GTIN: the number under the bar code. */
                readonly globalTradeItemNumber?: string;
                /** @description The manufacturer's own number. */
                readonly manufacturerPartNumber?: string;
                /** @description The weight of one unit. */
                readonly weight?: number;
                /** @description The unit of the weight. */
                readonly weightUnit?: string;
                /** @description The page of the product. */
                readonly pageUrl?: string;
            };
        };
        readonly AnsweredOrder: {
            /** @description The goods and services of the order; all fields of a session together have at most 512 KiB of JSON. */
            readonly lineItems?: readonly components["schemas"]["AnsweredLineItem"][];
            /** @description Where the order is from: ISO 3166-1 alpha-2. */
            readonly countryCode?: string;
            /** @description Where the seller is: ISO 3166-1 alpha-2. */
            readonly retailerCountryCode?: string;
            /** @description Charges besides the lines. */
            readonly fees?: readonly components["schemas"]["AnsweredFee"][];
            /** @description How it is sent. */
            readonly shipping?: components["schemas"]["AnsweredShipping"];
        };
        readonly AnsweredPaymentMethodOptions: {
            /** @description Vaults the card for the customer when the payment is authorized; needs a customerId. */
            readonly vaultOnSuccess?: boolean;
            /** @description MANUAL: a capture follows by its own call. AUTOMATIC: captured as soon as it is authorized (needs transactions:capture). */
            readonly captureMode?: ("MANUAL" | "AUTOMATIC") | (string & {});
            /** @description The text on the customer's statement, where the processor can show it. */
            readonly descriptor?: string;
            /** @description The kind of payment to the card networks. SUBSCRIPTION and UNSCHEDULED charge a saved card without its customer: nothing is required of them, and an issuer that wants them declines. In the checkout the customer is there, whatever the type. */
            readonly paymentType?: ("FIRST_PAYMENT" | "ECOMMERCE" | "SUBSCRIPTION" | "UNSCHEDULED") | (string & {});
            /** @description The card networks to offer, in this order; without it: all. */
            readonly orderedAllowedCardNetworks?: readonly (("VISA" | "MASTERCARD" | "AMEX" | "DISCOVER" | "OTHER") | (string & {}))[];
            /** @description FINAL: the amount is known. ESTIMATED: it can be adjusted until the capture. */
            readonly authorizationType?: ("FINAL" | "ESTIMATED") | (string & {});
            /** @description Options of each payment method, by its type. They are set when the session is made and never change. */
            readonly options?: {
                readonly [key: string]: unknown;
            };
        };
        readonly AnsweredShipping: {
            /** @description In minor units: 1250 for 12.50 EUR; currencies without minor units as they are. */
            readonly amount?: number;
            /** @description Your id of the shipping method. */
            readonly methodId?: string;
            /** @description The name of the shipping method. */
            readonly methodName?: string;
            /** @description The text for the shipping method. */
            readonly methodDescription?: string;
        };
        readonly AuthorizePayment: {
            /** @description Your reference for the order. */
            readonly orderId?: string | null;
            /** @description ISO 4217 alpha-3, upper case. */
            readonly currencyCode?: components["schemas"]["CurrencyCode"] | null;
            /** @description Minor units, at least 1. Without it: calculated from the request's order, else the session's amount. */
            readonly amount?: number | null;
            /** @description The goods, fees and shipping of the purchase. */
            readonly order?: components["schemas"]["Order"] | null;
            /** @description Your id of the customer; payment instruments are vaulted for it. */
            readonly customerId?: string | null;
            /** @description The customer; in a payment, the session’s and the request’s together. */
            readonly customer?: components["schemas"]["Customer"] | null;
            /** @description Yours: any JSON; merged into the session's metadata, key by key. */
            readonly metadata?: {
                readonly [key: string]: unknown;
            } | null;
            /** @description How the customer pays. */
            readonly paymentMethod?: {
                /** @description Vaults the card for the customer when the payment is authorized; needs a customerId. */
                readonly vaultOnSuccess?: boolean | null;
                /** @description MANUAL: a capture follows by its own call. AUTOMATIC: captured as soon as it is authorized (needs transactions:capture). */
                readonly captureMode?: ("MANUAL" | "AUTOMATIC") | null;
                /** @description The text on the customer's statement, where the processor can show it. */
                readonly descriptor?: string | null;
                /** @description The kind of payment to the card networks. SUBSCRIPTION and UNSCHEDULED charge a saved card without its customer: nothing is required of them, and an issuer that wants them declines. In the checkout the customer is there, whatever the type. */
                readonly paymentType?: ("FIRST_PAYMENT" | "ECOMMERCE" | "SUBSCRIPTION" | "UNSCHEDULED") | null;
                /** @description FINAL: the amount is known. ESTIMATED: it can be adjusted until the capture. */
                readonly authorizationType?: ("FINAL" | "ESTIMATED") | null;
            } | null;
            /** @description Where the customer goes after an action on another page. */
            readonly returnUrl?: string | null;
            /** @description The token of a card: single use, or vaulted. */
            readonly paymentMethodToken: string;
            /** @description The client token of the session, as it was answered when the session was made. */
            readonly clientToken?: string | null;
        };
        readonly CancelPayment: {
            /** @description Why, in your words. */
            readonly reason?: string | null;
        };
        readonly CapturePayment: {
            /** @description Minor units, at least 1. Without it: the rest of the authorization. */
            readonly amount?: number | null;
            /** @description Whether it is the last capture; the rest of the authorization is released then. */
            readonly final?: boolean | null;
            /** @description Merged into the payment's metadata, key by key. */
            readonly metadata?: {
                readonly [key: string]: unknown;
            } | null;
        };
        readonly ClientSession: {
            /** @description Your reference for the order. */
            readonly orderId?: string;
            /** @description Your id of the customer; payment instruments are vaulted for it. */
            readonly customerId?: string;
            /** @description ISO 4217 alpha-3, upper case. */
            readonly currencyCode?: string;
            /** @description Minor units: the amount that was set, else the sum of lines, fees and shipping. */
            readonly amount?: number;
            /** @description Where the customer goes after an action on another page. */
            readonly returnUrl?: string;
            /** @description Yours: any JSON, stored word for word; keys of 1 to 64 characters, 8 levels, 16 KiB. */
            readonly metadata?: {
                readonly [key: string]: unknown;
            };
            /** @description The customer; in a payment, the session’s and the request’s together. */
            readonly customer?: components["schemas"]["AnsweredCustomer"];
            /** @description The goods, fees and shipping of the purchase. */
            readonly order?: components["schemas"]["AnsweredOrder"];
            /** @description How the customer pays. */
            readonly paymentMethod?: components["schemas"]["AnsweredPaymentMethodOptions"];
            /** @description Effects of the call that may not be meant. */
            readonly warnings?: readonly {
                /** @description FIELDS_OVERWRITTEN: members that the call did not name were dropped with the object that it replaced. */
                readonly code: "FIELDS_OVERWRITTEN" | (string & {});
                /** @description JSONPaths of the members that were dropped. */
                readonly paths: readonly string[];
            }[];
        };
        readonly ClientSessionFields: {
            /** @description Your reference for the order. */
            readonly orderId?: string | null;
            /** @description Your id of the customer; payment instruments are vaulted for it. */
            readonly customerId?: string | null;
            /** @description ISO 4217 alpha-3, upper case. */
            readonly currencyCode?: components["schemas"]["CurrencyCode"] | null;
            /** @description Minor units. It overrides the amount that is calculated from lines, fees and shipping. */
            readonly amount?: number | null;
            /** @description Where the customer goes after an action on another page. */
            readonly returnUrl?: string | null;
            /** @description Any JSON; keys of 1 to 64 characters, at most 8 levels and 16 KiB. */
            readonly metadata?: {
                readonly [key: string]: unknown;
            } | null;
            /** @description The customer; in a payment, the session’s and the request’s together. */
            readonly customer?: components["schemas"]["Customer"] | null;
            /** @description The goods, fees and shipping of the purchase. */
            readonly order?: components["schemas"]["Order"] | null;
            /** @description How the customer pays. */
            readonly paymentMethod?: components["schemas"]["PaymentMethodOptions"] | null;
        };
        readonly ClientToken: {
            /** @description The fresh client token, for the checkout in the browser; valid for 24 hours. */
            readonly clientToken: string;
            /**
             * Format: date-time
             * @description When the client token expires.
             */
            readonly clientTokenExpirationDate: string;
        };
        /** @enum {string} */
        readonly CountryCode: "AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "YE" | "YT" | "ZA" | "ZM" | "ZW";
        readonly CreatedClientSession: {
            /** @description Your reference for the order. */
            readonly orderId?: string;
            /** @description Your id of the customer; payment instruments are vaulted for it. */
            readonly customerId?: string;
            /** @description ISO 4217 alpha-3, upper case. */
            readonly currencyCode?: string;
            /** @description Minor units: the amount that was set, else the sum of lines, fees and shipping. */
            readonly amount?: number;
            /** @description Where the customer goes after an action on another page. */
            readonly returnUrl?: string;
            /** @description Yours: any JSON, stored word for word; keys of 1 to 64 characters, 8 levels, 16 KiB. */
            readonly metadata?: {
                readonly [key: string]: unknown;
            };
            /** @description The customer; in a payment, the session’s and the request’s together. */
            readonly customer?: components["schemas"]["AnsweredCustomer"];
            /** @description The goods, fees and shipping of the purchase. */
            readonly order?: components["schemas"]["AnsweredOrder"];
            /** @description How the customer pays. */
            readonly paymentMethod?: components["schemas"]["AnsweredPaymentMethodOptions"];
            /** @description For the checkout in the browser, and for later calls about the session; valid for 24 hours. */
            readonly clientToken: string;
            /**
             * Format: date-time
             * @description When the client token expires.
             */
            readonly clientTokenExpirationDate: string;
        };
        /** @enum {string} */
        readonly CurrencyCode: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHF" | "CLP" | "CNY" | "COP" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "UYU" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XCG" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG";
        readonly Customer: {
            /** @description The customer's e-mail address. */
            readonly emailAddress?: string | null;
            /** @description The customer's mobile number. */
            readonly mobileNumber?: string | null;
            /** @description First name. */
            readonly firstName?: string | null;
            /** @description Last name. */
            readonly lastName?: string | null;
            /** @description The customer's tax number. */
            readonly taxId?: string | null;
            /** @description The customer's national document number. */
            readonly nationalDocumentId?: string | null;
            /** @description The address on the card's statements. */
            readonly billingAddress?: components["schemas"]["Address"] | null;
            /** @description Where it is sent. */
            readonly shippingAddress?: components["schemas"]["Address"] | null;
        };
        readonly Dispute: {
            /** @description The id; opaque and unguessable. */
            readonly id: string;
            /** @description OPEN: it can be answered. CHALLENGED: its evidence is with the issuer. The others are its end. */
            readonly status: ("OPEN" | "CHALLENGED" | "ACCEPTED" | "EXPIRED" | "WON" | "LOST") | (string & {});
            /** @description In minor units: 1250 for 12.50 EUR; currencies without minor units as they are. */
            readonly amount: number;
            /** @description ISO 4217 alpha-3, upper case. */
            readonly currencyCode: string;
            /** @description Why, in the words of the processor. */
            readonly reason?: string;
            /** @description The reason as the card network codes it. */
            readonly reasonCode?: string;
            /**
             * Format: date-time
             * @description When the customer opened it.
             */
            readonly openedAt: string;
            /**
             * Format: date-time
             * @description The last moment at which it can be challenged.
             */
            readonly challengeRequiredBy?: string;
            /** @description Yours, kept or sent. */
            readonly evidence?: {
                /** @description Your words for the issuer. */
                readonly text: string;
                /** @description The customer's e-mail address, where it helps. */
                readonly customerEmail?: string;
                /** @description The number by which the parcel was tracked. */
                readonly shippingTrackingNumber?: string;
                /** @description Whether the processor has it. */
                readonly submitted: boolean;
            };
            /** @description The reason of the status, where it needs one. */
            readonly statusReason?: components["schemas"]["StatusReason"];
        };
        readonly DisputeAcceptance: Record<string, never>;
        readonly DisputeEvidence: {
            /** @description Your words for the issuer; they take the place of what was kept before. */
            readonly text: string;
            /** @description The customer's e-mail address, where it helps. */
            readonly customerEmail?: string | null;
            /** @description The number by which the parcel was tracked. */
            readonly shippingTrackingNumber?: string | null;
            /** @description Whether it goes to the processor now, which happens once; otherwise it is kept as a draft, and can be changed. */
            readonly submit?: boolean | null;
        };
        readonly Error: {
            /** @description The error. */
            readonly error: {
                /** @description Stable, for programs; the description is for people. New ones may be added. */
                readonly errorId: ("MalformedJson" | "UnsupportedApiVersion" | "MetadataContainsEmptyKey" | "ClientSessionValidationError" | "InvalidPaymentInstrumentToken" | "InvalidPaymentStatus" | "InvalidDisputeStatus" | "IncorrectPaymentAuthorizationType" | "InvalidCursor" | "ConflictingCredentials" | "ConflictingIdempotencyKeys" | "Unauthorized" | "InsufficientScope" | "NotFound" | "MethodNotAllowed" | "Conflict" | "ClientSessionCompleted" | "AmountChanged" | "PaymentOperationInProgress" | "PaymentAlreadyRefunded" | "PaymentDisputed" | "PaymentInstrumentVaultedElsewhere" | "IdempotencyKeyInProgress" | "PreconditionFailed" | "PayloadTooLarge" | "UnsupportedMediaType" | "RequestValidationError" | "FieldNotUpdatable" | "CardNumberNotAllowed" | "UnprocessableCaptureAmount" | "UnprocessableRefundAmount" | "CaptureDeclined" | "CancellationDeclined" | "RefundDeclined" | "AdjustmentDeclined" | "OperationNotSupported" | "EvidenceLimitReached" | "IdempotencyKeyReused" | "TooManyRequests" | "InternalError" | "ServiceUnavailable") | (string & {});
                /** @description The fault, in a sentence. */
                readonly description: string;
                /** @description A step that may help. */
                readonly recoverySuggestion?: string;
                /** @description Finds the request in the log. */
                readonly diagnosticsId: string;
                /** @description Every violation of the schema, at once. */
                readonly validationErrors?: readonly {
                    /** @description The schema of the part that was sent. */
                    readonly model: string;
                    /** @description All violations at once. */
                    readonly errors: readonly {
                        /** @description JSONPath from `$`. */
                        readonly path: string;
                        /** @description The rule that the value breaks, in a sentence. */
                        readonly description: string;
                    }[];
                }[];
                /** @description The payment that the error is about, or that stands in the way. */
                readonly paymentId?: string;
                /** @description The payment's status. */
                readonly paymentStatus?: string;
                /** @description Only with AmountChanged: the amount of the session as it is now, in minor units. */
                readonly amount?: number;
                /** @description ISO 4217 alpha-3, upper case. */
                readonly currencyCode?: string;
                /** @description The reason of the status, where it needs one. */
                readonly statusReason?: components["schemas"]["ErrorStatusReason"];
            };
        };
        readonly ErrorStatusReason: {
            /** @description The kind of reason; new ones may be added. */
            readonly type: ("ISSUER_DECLINE" | "GATEWAY_TIMEOUT" | "GATEWAY_UNAVAILABLE" | "APPLICATION_ERROR" | "AUTHENTICATION_REQUIRED") | (string & {});
            /** @description SOFT: another try may succeed. HARD: it will not. */
            readonly declineType?: ("SOFT" | "HARD") | (string & {});
            /** @description The issuer's or the service's code for the reason. */
            readonly code?: string;
            /** @description The reason in a sentence. */
            readonly message?: string;
            /** @description The next step that is worth trying, in a sentence for the merchant. */
            readonly advisedAction?: string;
        };
        readonly Fee: {
            /** @description In minor units: 1250 for 12.50 EUR; currencies without minor units as they are. */
            readonly amount: number;
            /** @description The purpose of the fee. */
            readonly type?: string | null;
            /** @description Your words for it. */
            readonly description?: string | null;
        };
        readonly FeeInput: {
            /** @description In minor units: 1250 for 12.50 EUR; currencies without minor units as they are. */
            readonly amount: number;
            /** @description The purpose of the fee. */
            readonly type?: string;
            /** @description Your words for it. */
            readonly description?: string;
        };
        readonly IssueClientToken: {
            /** @description The client token of the session, as it was answered when the session was made. */
            readonly clientToken: string;
        };
        /** @enum {string} */
        readonly KnownCurrencyCode: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHF" | "CLP" | "CNY" | "COP" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "UYU" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XCG" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG" | "ANG" | "BGN" | "BYR" | "CUC" | "HRK" | "MRO" | "SLL" | "STD" | "VEF" | "ZWL";
        readonly KnownCurrencyCodeOutput: ("AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHF" | "CLP" | "CNY" | "COP" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "UYU" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XCG" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG" | "ANG" | "BGN" | "BYR" | "CUC" | "HRK" | "MRO" | "SLL" | "STD" | "VEF" | "ZWL") | (string & {});
        readonly LineItem: {
            /** @description The price of one unit, in minor units. */
            readonly amount: number;
            /** @description How many units; 1 without it. */
            readonly quantity?: number | null;
            /** @description Off the whole line, minor units. */
            readonly discountAmount?: number | null;
            /** @description On the whole line, minor units. */
            readonly taxAmount?: number | null;
            /** @description Your id of the item. */
            readonly itemId?: string | null;
            /** @description The name of the item. */
            readonly name?: string | null;
            /** @description Your words for it. */
            readonly description?: string | null;
            /** @description The tax code of the item. */
            readonly taxCode?: string | null;
            /** @description Whether the product is sent by post. */
            readonly productType?: ("PHYSICAL" | "DIGITAL") | null;
            /** @description More about the product. */
            readonly productData?: {
                /** @description Your stock keeping unit. */
                readonly sku?: string | null;
                /** @description The brand of the product. */
                readonly brand?: string | null;
                /** @description The color of the product. */
                readonly color?: string | null;
                /** @description GTIN: the number under the bar code. */
                readonly globalTradeItemNumber?: string | null;
                /** @description The manufacturer's own number. */
                readonly manufacturerPartNumber?: string | null;
                /** @description The weight of one unit. */
                readonly weight?: number | null;
                /** @description The unit of the weight. */
                readonly weightUnit?: string | null;
                /** @description The page of the product. */
                readonly pageUrl?: string | null;
            } | null;
        };
        readonly LineItemInput: {
            /** @description The price of one unit, in minor units. */
            readonly amount: number;
            /** @description How many units; 1 without it. */
            readonly quantity?: number;
            /** @description Off the whole line, minor units. */
            readonly discountAmount?: number;
            /** @description On the whole line, minor units. */
            readonly taxAmount?: number;
            /** @description Your id of the item. */
            readonly itemId?: string;
            /** @description The name of the item. */
            readonly name?: string;
            /** @description Your words for it. */
            readonly description?: string;
            /** @description The tax code of the item. */
            readonly taxCode?: string;
            /**
             * @description Whether the product is sent by post.
             * @enum {string}
             */
            readonly productType?: "PHYSICAL" | "DIGITAL";
            /** @description More about the product. */
            readonly productData?: {
                /** @description Your stock keeping unit. */
                readonly sku?: string;
                /** @description The brand of the product. */
                readonly brand?: string;
                /** @description The color of the product. */
                readonly color?: string;
                /** @description GTIN: the number under the bar code. */
                readonly globalTradeItemNumber?: string;
                /** @description The manufacturer's own number. */
                readonly manufacturerPartNumber?: string;
                /** @description The weight of one unit. */
                readonly weight?: number;
                /** @description The unit of the weight. */
                readonly weightUnit?: string;
                /** @description The page of the product. */
                readonly pageUrl?: string;
            };
        };
        readonly Order: {
            /** @description The goods and services of the order; all fields of a session together have at most 512 KiB of JSON. */
            readonly lineItems?: readonly components["schemas"]["LineItem"][] | null;
            /** @description Where the order is from: ISO 3166-1 alpha-2. */
            readonly countryCode?: components["schemas"]["CountryCode"] | null;
            /** @description Where the seller is: ISO 3166-1 alpha-2. */
            readonly retailerCountryCode?: components["schemas"]["CountryCode"] | null;
            /** @description Charges besides the lines. */
            readonly fees?: readonly components["schemas"]["Fee"][] | null;
            /** @description How it is sent. */
            readonly shipping?: components["schemas"]["Shipping"] | null;
        };
        readonly PatchClientSession: {
            /** @description Your reference for the order. */
            readonly orderId?: string | null;
            /** @description Your id of the customer; payment instruments are vaulted for it. */
            readonly customerId?: string | null;
            /** @description ISO 4217 alpha-3, upper case. */
            readonly currencyCode?: components["schemas"]["CurrencyCode"] | null;
            /** @description Minor units. It overrides the calculated amount; null brings the calculated one back. */
            readonly amount?: number | null;
            /** @description Where the customer goes after an action on another page. */
            readonly returnUrl?: string | null;
            /** @description Yours: any JSON, stored word for word; keys of 1 to 64 characters, 8 levels, 16 KiB. */
            readonly metadata?: {
                readonly [key: string]: unknown;
            } | null;
            /** @description The customer; in a payment, the session’s and the request’s together. */
            readonly customer?: {
                /** @description The customer's e-mail address. */
                readonly emailAddress?: string | null;
                /** @description The customer's mobile number. */
                readonly mobileNumber?: string | null;
                /** @description First name. */
                readonly firstName?: string | null;
                /** @description Last name. */
                readonly lastName?: string | null;
                /** @description The customer's tax number. */
                readonly taxId?: string | null;
                /** @description The customer's national document number. */
                readonly nationalDocumentId?: string | null;
                /** @description The address on the card's statements. */
                readonly billingAddress?: {
                    /** @description First name. */
                    readonly firstName?: string | null;
                    /** @description Last name. */
                    readonly lastName?: string | null;
                    /** @description Street and number. */
                    readonly addressLine1?: string | null;
                    /** @description Flat, floor or company. */
                    readonly addressLine2?: string | null;
                    /** @description City or town. */
                    readonly city?: string | null;
                    /** @description State, province or region. */
                    readonly state?: string | null;
                    /** @description Postal code. */
                    readonly postalCode?: string | null;
                    /** @description ISO 3166-1 alpha-2. */
                    readonly countryCode?: components["schemas"]["CountryCode"] | null;
                } | null;
                /** @description Where it is sent. */
                readonly shippingAddress?: {
                    /** @description First name. */
                    readonly firstName?: string | null;
                    /** @description Last name. */
                    readonly lastName?: string | null;
                    /** @description Street and number. */
                    readonly addressLine1?: string | null;
                    /** @description Flat, floor or company. */
                    readonly addressLine2?: string | null;
                    /** @description City or town. */
                    readonly city?: string | null;
                    /** @description State, province or region. */
                    readonly state?: string | null;
                    /** @description Postal code. */
                    readonly postalCode?: string | null;
                    /** @description ISO 3166-1 alpha-2. */
                    readonly countryCode?: components["schemas"]["CountryCode"] | null;
                } | null;
            } | null;
            /** @description The goods, fees and shipping of the purchase. */
            readonly order?: {
                /** @description The goods and services of the order; all fields of a session together have at most 512 KiB of JSON. */
                readonly lineItems?: readonly components["schemas"]["LineItemInput"][] | null;
                /** @description Where the order is from: ISO 3166-1 alpha-2. */
                readonly countryCode?: components["schemas"]["CountryCode"] | null;
                /** @description Where the seller is: ISO 3166-1 alpha-2. */
                readonly retailerCountryCode?: components["schemas"]["CountryCode"] | null;
                /** @description Charges besides the lines. */
                readonly fees?: readonly components["schemas"]["FeeInput"][] | null;
                /** @description How it is sent. */
                readonly shipping?: {
                    /** @description In minor units: 1250 for 12.50 EUR; currencies without minor units as they are. */
                    readonly amount?: number | null;
                    /** @description Your id of the shipping method. */
                    readonly methodId?: string | null;
                    /** @description The name of the shipping method. */
                    readonly methodName?: string | null;
                    /** @description The text for the shipping method. */
                    readonly methodDescription?: string | null;
                } | null;
            } | null;
            /** @description How the customer pays. */
            readonly paymentMethod?: {
                /** @description Vaults the card for the customer when the payment is authorized; needs a customerId. */
                readonly vaultOnSuccess?: boolean | null;
                /** @description MANUAL: a capture follows by its own call. AUTOMATIC: captured as soon as it is authorized (needs transactions:capture). */
                readonly captureMode?: ("MANUAL" | "AUTOMATIC") | null;
                /** @description The text on the customer's statement, where the processor can show it. */
                readonly descriptor?: string | null;
                /** @description The kind of payment to the card networks. SUBSCRIPTION and UNSCHEDULED charge a saved card without its customer: nothing is required of them, and an issuer that wants them declines. In the checkout the customer is there, whatever the type. */
                readonly paymentType?: ("FIRST_PAYMENT" | "ECOMMERCE" | "SUBSCRIPTION" | "UNSCHEDULED") | null;
                /** @description The card networks to offer, in this order; without it: all. */
                readonly orderedAllowedCardNetworks?: readonly ("VISA" | "MASTERCARD" | "AMEX" | "DISCOVER" | "OTHER")[] | null;
                /** @description FINAL: the amount is known. ESTIMATED: it can be adjusted until the capture. */
                readonly authorizationType?: ("FINAL" | "ESTIMATED") | null;
                /** @description Options of each payment method, by its type. They are set when the session is made and never change. */
                readonly options?: {
                    readonly [key: string]: unknown;
                } | null;
            } | null;
            /** @description The client token of the session, as it was answered when the session was made. */
            readonly clientToken: string;
        };
        readonly Payment: {
            /** @description The id; opaque and unguessable. */
            readonly id: string;
            /**
             * Format: date-time
             * @description When its first event was recorded.
             */
            readonly date: string;
            /**
             * Format: date-time
             * @description When its newest event was recorded.
             */
            readonly dateUpdated: string;
            /** @description The current status. */
            readonly status: components["schemas"]["PaymentStatus"];
            /** @description Your reference for the order. */
            readonly orderId: string;
            /** @description ISO 4217 alpha-3, upper case. */
            readonly currencyCode: components["schemas"]["KnownCurrencyCodeOutput"];
            /** @description In minor units: 1250 for 12.50 EUR; currencies without minor units as they are. */
            readonly amount: number;
            /** @description Your id of the customer; payment instruments are vaulted for it. */
            readonly customerId?: string;
            /** @description The customer; in a payment, the session’s and the request’s together. */
            readonly customer?: components["schemas"]["AnsweredCustomer"];
            /** @description The goods, fees and shipping of the purchase. */
            readonly order?: components["schemas"]["AnsweredOrder"];
            /** @description Yours: any JSON, stored word for word; keys of 1 to 64 characters, 8 levels, 16 KiB. */
            readonly metadata?: {
                readonly [key: string]: unknown;
            };
            /** @description How the customer pays. */
            readonly paymentMethod: {
                /** @description The token of a card: single use, or vaulted. */
                readonly paymentMethodToken: string;
                /** @description PAYMENT_CARD; new ones may be added. */
                readonly paymentMethodType: "PAYMENT_CARD" | (string & {});
                /** @description The card, masked. */
                readonly paymentMethodData: components["schemas"]["PaymentMethodData"];
                /** @description Whether the card was vaulted when the payment was made, or by it. */
                readonly isVaulted: boolean;
                /** @description The text on the customer's statement, where the processor can show it. */
                readonly descriptor?: string;
                /** @description The kind of payment to the card networks. SUBSCRIPTION and UNSCHEDULED charge a saved card without its customer: nothing is required of them, and an issuer that wants them declines. In the checkout the customer is there, whatever the type. */
                readonly paymentType?: ("FIRST_PAYMENT" | "ECOMMERCE" | "SUBSCRIPTION" | "UNSCHEDULED") | (string & {});
                /** @description FINAL: the amount is known. ESTIMATED: it can be adjusted until the capture. */
                readonly authorizationType: ("FINAL" | "ESTIMATED") | (string & {});
                /** @description MANUAL: a capture follows by its own call. AUTOMATIC: captured as soon as it is authorized (needs transactions:capture). */
                readonly captureMode: ("MANUAL" | "AUTOMATIC") | (string & {});
                /** @description What 3-D Secure came to, where there was one. */
                readonly threeDSecureAuthentication?: components["schemas"]["ThreeDSecureAuthentication"];
            };
            /** @description The part of the payment that the processor has. */
            readonly processor: components["schemas"]["PaymentProcessor"];
            /** @description What the customer has to do before the payment goes on; absent where there is nothing. */
            readonly requiredAction?: components["schemas"]["RequiredAction"];
            /** @description The reason of the status, where it needs one. */
            readonly statusReason?: components["schemas"]["StatusReason"];
            /** @description One SALE, then one REFUND for each refund. */
            readonly transactions: readonly components["schemas"]["Transaction"][];
            /** @description How many older refunds had no room here; the events of the payment tell of them. */
            readonly transactionsOmitted?: number;
            /** @description What the customer disputed with the issuer, in the order in which it was opened. */
            readonly disputes?: readonly components["schemas"]["Dispute"][];
            /** @description The number of its newest event: the ETag, without quotes. */
            readonly version: number;
        };
        readonly PaymentEvent: {
            /** @description The id; opaque and unguessable. */
            readonly id: string;
            /** @description The kind of fact; new types may be added. */
            readonly type: string;
            /**
             * Format: date-time
             * @description When it was recorded.
             */
            readonly date: string;
            /** @description The number of the event in its stream, from 0; the newest one's is the payment's version. */
            readonly revision: number;
            /** @description The actor that caused it: an API key, a checkout, a processor, an operator, or the service itself. */
            readonly actor: {
                /** @description The kind of actor. */
                readonly kind: ("apiKey" | "checkout" | "operator" | "policy" | "processor" | "user") | (string & {});
                /** @description The id of the key, session, processor or operator. */
                readonly id: string;
            };
            /** @description The public part of the event; its members depend on the type. */
            readonly data: {
                readonly [key: string]: unknown;
            };
        };
        readonly PaymentEventList: {
            /** @description The items, in the order that the summary tells. */
            readonly data: readonly components["schemas"]["PaymentEvent"][];
            /** @description For `cursor`, to go on; absent on the last page. */
            readonly nextCursor?: string;
        };
        readonly PaymentInstrument: {
            /** @description The token; it pays instead of the card number. */
            readonly token: string;
            /** @description SINGLE_USE: pays once, within 24 hours. MULTI_USE: vaulted. */
            readonly tokenType: ("SINGLE_USE" | "MULTI_USE") | (string & {});
            /** @description Your id of the customer; payment instruments are vaulted for it. */
            readonly customerId?: string;
            /** @description PAYMENT_CARD; new ones may be added. */
            readonly paymentMethodType: "PAYMENT_CARD" | (string & {});
            /** @description The card, masked. */
            readonly paymentMethodData: components["schemas"]["PaymentMethodData"];
            /** @description Your words for it. */
            readonly description?: string;
            /** @description Whether it is the customer's default. */
            readonly default: boolean;
            /** @description A single-use token that has paid, or was used up for a card that its customer had already. */
            readonly used: boolean;
            /** @description A single-use token whose 24 hours passed before anything was done with it. */
            readonly expired: boolean;
            /** @description Whether it was deleted; a deleted one can still be read. */
            readonly deleted: boolean;
            /**
             * Format: date-time
             * @description When it was made.
             */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @description When it was deleted.
             */
            readonly deletedAt?: string;
        };
        readonly PaymentInstrumentList: {
            /** @description The items, in the order that the summary tells. */
            readonly data: readonly components["schemas"]["PaymentInstrument"][];
            /** @description For `cursor`, to go on; absent on the last page. */
            readonly nextCursor?: string;
        };
        readonly PaymentItem: {
            /** @description The id; opaque and unguessable. */
            readonly id: string;
            /**
             * Format: date-time
             * @description When its first event was recorded.
             */
            readonly date: string;
            /**
             * Format: date-time
             * @description When its newest event was recorded.
             */
            readonly dateUpdated: string;
            /** @description The current status. */
            readonly status: components["schemas"]["PaymentStatus"];
            /** @description Your reference for the order. */
            readonly orderId: string;
            /** @description ISO 4217 alpha-3, upper case. */
            readonly currencyCode: components["schemas"]["KnownCurrencyCodeOutput"];
            /** @description In minor units: 1250 for 12.50 EUR; currencies without minor units as they are. */
            readonly amount: number;
            /** @description Your id of the customer; payment instruments are vaulted for it. */
            readonly customerId?: string;
            /** @description The part of the payment that the processor has. */
            readonly processor: components["schemas"]["PaymentProcessor"];
            /** @description How the customer pays. */
            readonly paymentMethod: {
                /** @description PAYMENT_CARD; new ones may be added. */
                readonly paymentMethodType: "PAYMENT_CARD" | (string & {});
                /** @description The card, masked. */
                readonly paymentMethodData: components["schemas"]["PaymentMethodData"];
            };
            /** @description Yours: any JSON, stored word for word; keys of 1 to 64 characters, 8 levels, 16 KiB. */
            readonly metadata?: {
                readonly [key: string]: unknown;
            };
            /** @description The number of its newest event: the ETag, without quotes. */
            readonly version: number;
        };
        readonly PaymentList: {
            /** @description The items, in the order that the summary tells. */
            readonly data: readonly components["schemas"]["PaymentItem"][];
            /** @description Where the next page begins; without it there are no more payments. A page may be shorter than `limit`, and even empty, while there is one: a page looks at 1,000 payments at most, along the most selective of its filters, and has at most 1 MiB. */
            readonly nextCursor?: string;
        };
        readonly PaymentMessage: {
            /** @description The id of the event; a webhook carries it as `webhook-id`. */
            readonly eventId: string;
            /** @description The kind of news; new ones may be added. */
            readonly eventType: ("PAYMENT.STATUS" | "PAYMENT.REFUND" | "PAYMENT.CAPTURE.FAILED" | "PAYMENT.REFUND.FAILED" | "PAYMENT.CANCELLATION.FAILED" | "PAYMENT.ADJUSTMENT.FAILED" | "DISPUTE.OPENED" | "DISPUTE.STATUS") | (string & {});
            /**
             * Format: date-time
             * @description When it was recorded.
             */
            readonly date: string;
            /** @description Of the API, whose payment object this is. */
            readonly version: string;
            /** @description The version of the payment that the message tells of. */
            readonly sequence: number;
            /** @description The payment as it was at `sequence`. */
            readonly payment: components["schemas"]["Payment"];
        };
        readonly PaymentMessageList: {
            /** @description The items, in the order that the summary tells. */
            readonly data: readonly components["schemas"]["PaymentMessage"][];
            /** @description For `cursor`, to go on; absent on the last page. */
            readonly nextCursor?: string;
        };
        readonly PaymentMethodData: {
            /** @description The card network; new ones may be added. */
            readonly network: ("VISA" | "MASTERCARD" | "AMEX" | "DISCOVER" | "OTHER") | (string & {});
            /** @description The first six digits of the number: they name the issuer. */
            readonly first6Digits: string;
            /** @description The last four digits of the number. */
            readonly last4Digits: string;
            /** @description Two digits: 01 to 12. */
            readonly expirationMonth: string;
            /** @description Four digits. */
            readonly expirationYear: string;
            /** @description The name on the card. */
            readonly cardholderName?: string;
        };
        readonly PaymentMethodOptions: {
            /** @description Vaults the card for the customer when the payment is authorized; needs a customerId. */
            readonly vaultOnSuccess?: boolean | null;
            /** @description MANUAL: a capture follows by its own call. AUTOMATIC: captured as soon as it is authorized (needs transactions:capture). */
            readonly captureMode?: ("MANUAL" | "AUTOMATIC") | null;
            /** @description The text on the customer's statement, where the processor can show it. */
            readonly descriptor?: string | null;
            /** @description The kind of payment to the card networks. SUBSCRIPTION and UNSCHEDULED charge a saved card without its customer: nothing is required of them, and an issuer that wants them declines. In the checkout the customer is there, whatever the type. */
            readonly paymentType?: ("FIRST_PAYMENT" | "ECOMMERCE" | "SUBSCRIPTION" | "UNSCHEDULED") | null;
            /** @description The card networks to offer, in this order; without it: all. */
            readonly orderedAllowedCardNetworks?: readonly ("VISA" | "MASTERCARD" | "AMEX" | "DISCOVER" | "OTHER")[] | null;
            /** @description FINAL: the amount is known. ESTIMATED: it can be adjusted until the capture. */
            readonly authorizationType?: ("FINAL" | "ESTIMATED") | null;
            /** @description Payment method type to an object of options. */
            readonly options?: {
                readonly [key: string]: unknown;
            } | null;
        };
        readonly PaymentProcessor: {
            /** @description The processor that has the payment. */
            readonly name: string;
            /** @description The processor's name for it. */
            readonly processorTransactionId?: string;
            /** @description The amount that the issuer holds or held, minor units. */
            readonly amountAuthorized: number;
            /** @description The amount that a capture may still take, minor units. */
            readonly amountCapturable: number;
            /** @description The captured amount, minor units. */
            readonly amountCaptured: number;
            /** @description The amount that can still be refunded, minor units: captured, less refunded and pending refunds. */
            readonly amountRefundable: number;
            /** @description The refunded amount, minor units; pending refunds are not counted. */
            readonly amountRefunded: number;
            /** @description The answer of the issuer about the billing address. */
            readonly avsResult?: ("MATCH" | "NO_MATCH" | "NOT_CHECKED" | "UNAVAILABLE") | (string & {});
            /** @description The answer of the issuer about the card verification code. */
            readonly cvcResult?: ("MATCH" | "NO_MATCH" | "NOT_CHECKED" | "UNAVAILABLE") | (string & {});
        };
        readonly PaymentStatus: ("PENDING" | "AUTHORIZED" | "SETTLING" | "PARTIALLY_SETTLED" | "SETTLED" | "DECLINED" | "FAILED" | "CANCELLED") | (string & {});
        /** @enum {string} */
        readonly PaymentStatusInput: "PENDING" | "AUTHORIZED" | "SETTLING" | "PARTIALLY_SETTLED" | "SETTLED" | "DECLINED" | "FAILED" | "CANCELLED";
        readonly PaymentWhy: {
            /** @description The id; opaque and unguessable. */
            readonly id: string;
            /** @description The current status. */
            readonly status: components["schemas"]["PaymentStatus"];
            /** @description The number of its newest event: the ETag, without quotes. */
            readonly version: number;
            /** @description The items, in the order that the summary tells. */
            readonly data: readonly components["schemas"]["PaymentWhyStep"][];
            /** @description For `cursor`, to go on; absent on the last page. */
            readonly nextCursor?: string;
        };
        readonly PaymentWhyStep: {
            /** @description The id; opaque and unguessable. */
            readonly id: string;
            /** @description ASKED: somebody asked. DECIDED: the service decided. ANSWERED: the call was answered. LOOKED_UP: a look-up. NOTIFIED: a notification. RESOLVED: a person’s word. */
            readonly kind: ("ASKED" | "DECIDED" | "ANSWERED" | "LOOKED_UP" | "NOTIFIED" | "RESOLVED") | (string & {});
            /** @description The kind of reason; new ones may be added. */
            readonly type: string;
            /** @description The step in a sentence. */
            readonly words: string;
            /**
             * Format: date-time
             * @description When its first event was recorded.
             */
            readonly date: string;
            /** @description The number of the event in the payment’s history; absent of a notification. */
            readonly revision?: number;
            /** @description Who brought the step about. */
            readonly by: {
                /** @description The kind of actor. */
                readonly kind: ("apiKey" | "checkout" | "operator" | "policy" | "processor" | "user") | (string & {});
                /** @description The id of the key, session, user, processor or operator. */
                readonly id: string;
                /** @description The name of the API key. */
                readonly name?: string;
            };
            /** @description The `X-Request-Id` of the request, or the id of the work, that began it all. */
            readonly requestId: string;
            /** @description The id of the step that led to this one; absent where the request itself did. */
            readonly causedBy?: string;
            /** @description What the processor was asked to do, under our reference. */
            readonly call?: {
                /** @description The operation of the payment; `dispute_answer` is the answer to a dispute. */
                readonly operation: ("authorization" | "capture" | "cancellation" | "refund" | "adjustment" | "dispute_answer") | (string & {});
                /** @description The name of the processor. */
                readonly processor: string;
                /** @description Our name for the attempt, as the processor got it. */
                readonly reference: string;
                /** @description In minor units: 1250 for 12.50 EUR; currencies without minor units as they are. */
                readonly amount?: number;
                /** @description ISO 4217 alpha-3, upper case. */
                readonly currencyCode?: string;
            };
            /** @description What the processor, or a person, said became of an operation. */
            readonly told?: {
                /** @description How it was learnt: by the answer, a look-up, a notification, or a person’s word. */
                readonly source: ("answer" | "lookup" | "notification" | "operator") | (string & {});
                /** @description The operation that the processor was asked for. */
                readonly operation?: ("authorization" | "capture" | "cancellation" | "refund" | "adjustment" | "dispute_answer") | (string & {});
                /** @description The outcome of the operation. */
                readonly outcome: string;
                /** @description Our name for the attempt, as the processor got it. */
                readonly reference?: string;
                /** @description The processor's name for it. */
                readonly processorTransactionId?: string;
                /** @description In minor units: 1250 for 12.50 EUR; currencies without minor units as they are. */
                readonly amount?: number;
                /** @description ISO 4217 alpha-3, upper case. */
                readonly currencyCode?: string;
                /** @description The issuer's or the service's code for the reason. */
                readonly code?: string;
                /** @description What was observed and stands nowhere else. */
                readonly detail?: string;
                /**
                 * Format: date-time
                 * @description When the call or the look-up was sent.
                 */
                readonly sentAt?: string;
                /**
                 * Format: date-time
                 * @description When it happened, by the processor’s own clock.
                 */
                readonly occurredAt?: string;
            };
            /** @description The notification of the processor. */
            readonly notification?: {
                /** @description The name of the processor. */
                readonly processor: string;
                /** @description The processor’s own id of it. */
                readonly notificationId: string;
                /**
                 * Format: date-time
                 * @description When it came in.
                 */
                readonly receivedAt: string;
                /** @description How it stood after the step. */
                readonly status: ("received" | "parked" | "applied" | "discarded") | (string & {});
            };
            /** @description What became of the status and the amounts. */
            readonly changed?: readonly {
                /** @description The name of the member of the payment. */
                readonly member: ("status" | "amountAuthorized" | "amountCapturable" | "amountCaptured" | "amountRefundable" | "amountRefunded") | (string & {});
                /** @description Before the step; absent where the payment begins with it. */
                readonly from?: string | number;
                /** @description After the step. */
                readonly to: string | number;
            }[];
        };
        readonly RefundPayment: {
            /** @description Minor units, at least 1. Without it: the rest that can be refunded. */
            readonly amount?: number | null;
            /** @description Your reference for the refund. */
            readonly orderId?: string | null;
            /** @description Why, in your words. */
            readonly reason?: string | null;
            /** @description The id of one capture’s event, to refund that capture; without it the oldest come first. */
            readonly transactionEventId?: string | null;
        };
        readonly RequiredAction: {
            /** @description The name of the item. */
            readonly name: "3DS_AUTHENTICATION" | (string & {});
            /** @description Your words for it. */
            readonly description: string;
            /** @description A client token of the session: the browser goes on with it. Good as long as the action. */
            readonly clientToken?: string;
            /** @description The page that the customer is led to. */
            readonly url?: string;
        };
        readonly ResumePayment: {
            /** @description The token that the return URL was called with. */
            readonly resumeToken: string;
        };
        readonly Shipping: {
            /** @description In minor units: 1250 for 12.50 EUR; currencies without minor units as they are. */
            readonly amount?: number | null;
            /** @description Your id of the shipping method. */
            readonly methodId?: string | null;
            /** @description The name of the shipping method. */
            readonly methodName?: string | null;
            /** @description The text for the shipping method. */
            readonly methodDescription?: string | null;
        };
        readonly StatusReason: {
            /** @description The kind of reason; new ones may be added. */
            readonly type: ("ISSUER_DECLINE" | "GATEWAY_TIMEOUT" | "GATEWAY_UNAVAILABLE" | "APPLICATION_ERROR" | "AUTHENTICATION_REQUIRED") | (string & {});
            /** @description SOFT: another try may succeed. HARD: it will not. */
            readonly declineType?: ("SOFT" | "HARD") | (string & {});
            /** @description The issuer's or the service's code for the reason. */
            readonly code?: string;
            /** @description The reason in a sentence. */
            readonly message?: string;
            /** @description The next step that is worth trying, in a sentence for the merchant. */
            readonly advisedAction?: string;
        };
        readonly ThreeDSecureAuthentication: {
            /** @description Whether the customer was authenticated; new ones may be added. */
            readonly responseCode: ("AUTH_SUCCESS" | "AUTH_FAILED") | (string & {});
            /** @description The version of EMV 3-D Secure. */
            readonly protocolVersion?: string;
            /** @description Whether the customer had to do something; false: frictionless. */
            readonly challengeIssued?: boolean;
            /** @description The electronic commerce indicator of the card's network. */
            readonly eci?: string;
        };
        readonly Transaction: {
            /** @description The id; opaque and unguessable. */
            readonly id: string;
            /** @description SALE: authorization and captures. REFUND: one refund. */
            readonly transactionType: ("SALE" | "REFUND") | (string & {});
            /** @description In minor units: 1250 for 12.50 EUR; currencies without minor units as they are. */
            readonly amount: number;
            /** @description ISO 4217 alpha-3, upper case. */
            readonly currencyCode: components["schemas"]["KnownCurrencyCodeOutput"];
            /** @description The current status. */
            readonly status: components["schemas"]["PaymentStatus"];
            /**
             * Format: date-time
             * @description When its first event was recorded.
             */
            readonly date: string;
            /** @description Your reference for the order. */
            readonly orderId?: string;
            /** @description Why, in your words. */
            readonly reason?: string;
            /** @description The processor's name for it. */
            readonly processorTransactionId?: string;
            /** @description The reason of the status, where it needs one. */
            readonly statusReason?: components["schemas"]["StatusReason"];
            /** @description With `expand=transactions.events`: the facts, oldest first. */
            readonly events?: readonly {
                /** @description The id of the event; a refund names its capture by it. */
                readonly id: string;
                /** @description The kind of fact; new types may be added. */
                readonly type: string;
                /**
                 * Format: date-time
                 * @description When it was recorded.
                 */
                readonly date: string;
                /** @description In minor units: 1250 for 12.50 EUR; currencies without minor units as they are. */
                readonly amount?: number;
                /** @description Whether it is the last capture; the rest of the authorization is released then. */
                readonly final?: boolean;
                /** @description The source of the knowledge: the answer to the call, a look-up, a notification, or an operator. */
                readonly evidence?: ("answer" | "lookup" | "notification" | "operator") | (string & {});
            }[];
        };
        readonly VaultPaymentInstrument: {
            /** @description Your id of the customer; payment instruments are vaulted for it. */
            readonly customerId: string;
            /** @description Your words for it. */
            readonly description?: string | null;
        };
        readonly WebhookMessage: {
            /** @description The id of the event; a webhook carries it as `webhook-id`. */
            readonly eventId: string;
            /** @description The kind of news; new ones may be added. */
            readonly eventType: ("PAYMENT.STATUS" | "PAYMENT.REFUND" | "PAYMENT.CAPTURE.FAILED" | "PAYMENT.REFUND.FAILED" | "PAYMENT.CANCELLATION.FAILED" | "PAYMENT.ADJUSTMENT.FAILED" | "DISPUTE.OPENED" | "DISPUTE.STATUS") | (string & {});
            /**
             * Format: date-time
             * @description When it was recorded.
             */
            readonly date: string;
            /** @description Of the API, whose payment object this is. */
            readonly version: string;
            /** @description The version of the payment that the message tells of. */
            readonly sequence: number;
            /** @description The payment as it was at `sequence`, on every delivery. */
            readonly payment: components["schemas"]["Payment"];
            /** @description The sequence of the message before, of this endpoint and payment; absent from the first. */
            readonly previousSequence?: number;
        };
    };
    responses: never;
    parameters: {
        /** @description Made when absent. */
        readonly RequestId: string;
        /** @description Absent means 1.0. */
        readonly ApiVersion: "1.0";
        /** @description The same key and request again get the first answer. `Idempotency-Key` is the same header. */
        readonly IdempotencyKey: string;
        /** @description An ETag: the resource changes only when it still has this version. */
        readonly IfMatch: string;
    };
    requestBodies: never;
    headers: {
        /** @description The id of the request, and the diagnosticsId of an error. */
        readonly "X-Request-Id": string;
        /** @description The revision of the resource, in quotes. */
        readonly ETag: string;
        /** @description `true` on the answer of an earlier call with the same idempotency key. */
        readonly "Idempotent-Replayed": string;
        /** @description Seconds. */
        readonly "Retry-After": number;
        /** @description The caller’s remaining requests on this node: `"default";r=<left>;t=<seconds until it is full again>`. */
        readonly RateLimit: string;
        /** @description How many requests in how many seconds: `"default";q=<requests>;w=<seconds>`. */
        readonly "RateLimit-Policy": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly getClientSession: {
        readonly parameters: {
            readonly query?: {
                /** @description The client token of the session; `X-Client-Token` does the same and stays out of logs. */
                readonly clientToken?: string;
            };
            readonly header?: {
                /** @description Made when absent. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Absent means 1.0. */
                readonly "X-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ClientSession"];
                };
            };
            /** @description UnsupportedApiVersion · ClientSessionValidationError */
            readonly 400: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InsufficientScope */
            readonly 403: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description RequestValidationError */
            readonly 422: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description TooManyRequests */
            readonly 429: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InternalError */
            readonly 500: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description ServiceUnavailable */
            readonly 503: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly createClientSession: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Made when absent. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Absent means 1.0. */
                readonly "X-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description The same key and request again get the first answer. `Idempotency-Key` is the same header. */
                readonly "X-Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                /**
                 * @example {
                 *       "orderId": "order-1",
                 *       "currencyCode": "EUR",
                 *       "customerId": "customer-1",
                 *       "order": {
                 *         "lineItems": [
                 *           {
                 *             "itemId": "shirt",
                 *             "name": "A shirt",
                 *             "amount": 2500,
                 *             "quantity": 2
                 *           }
                 *         ],
                 *         "shipping": {
                 *           "amount": 490
                 *         }
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["ClientSessionFields"];
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CreatedClientSession"];
                };
            };
            /** @description UnsupportedApiVersion · MalformedJson · ConflictingIdempotencyKeys · MetadataContainsEmptyKey */
            readonly 400: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InsufficientScope */
            readonly 403: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict · IdempotencyKeyInProgress */
            readonly 409: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description PayloadTooLarge */
            readonly 413: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description UnsupportedMediaType */
            readonly 415: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description CardNumberNotAllowed · RequestValidationError · IdempotencyKeyReused */
            readonly 422: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description TooManyRequests */
            readonly 429: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InternalError */
            readonly 500: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description ServiceUnavailable */
            readonly 503: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly updateClientSession: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Made when absent. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Absent means 1.0. */
                readonly "X-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description The same key and request again get the first answer. `Idempotency-Key` is the same header. */
                readonly "X-Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description An ETag: the resource changes only when it still has this version. */
                readonly "If-Match"?: components["parameters"]["IfMatch"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "clientToken": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjc18xIn0.c2lnbmF0dXJl",
                 *       "customer": {
                 *         "emailAddress": "ada@example.org"
                 *       },
                 *       "metadata": {
                 *         "basket": 7
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["PatchClientSession"];
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ClientSession"];
                };
            };
            /** @description UnsupportedApiVersion · MalformedJson · ConflictingIdempotencyKeys · MetadataContainsEmptyKey · ClientSessionValidationError */
            readonly 400: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InsufficientScope */
            readonly 403: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description ClientSessionCompleted · Conflict · IdempotencyKeyInProgress */
            readonly 409: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description PreconditionFailed */
            readonly 412: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description PayloadTooLarge */
            readonly 413: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description UnsupportedMediaType */
            readonly 415: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description CardNumberNotAllowed · RequestValidationError · FieldNotUpdatable · IdempotencyKeyReused */
            readonly 422: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description TooManyRequests */
            readonly 429: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InternalError */
            readonly 500: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description ServiceUnavailable */
            readonly 503: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly createClientToken: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Made when absent. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Absent means 1.0. */
                readonly "X-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description The same key and request again get the first answer. `Idempotency-Key` is the same header. */
                readonly "X-Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "clientToken": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjc18xIn0.c2lnbmF0dXJl"
                 *     }
                 */
                readonly "application/json": components["schemas"]["IssueClientToken"];
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ClientToken"];
                };
            };
            /** @description UnsupportedApiVersion · MalformedJson · ConflictingIdempotencyKeys · ClientSessionValidationError */
            readonly 400: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InsufficientScope */
            readonly 403: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description ClientSessionCompleted · Conflict · IdempotencyKeyInProgress */
            readonly 409: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description PayloadTooLarge */
            readonly 413: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description UnsupportedMediaType */
            readonly 415: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description CardNumberNotAllowed · RequestValidationError · IdempotencyKeyReused */
            readonly 422: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description TooManyRequests */
            readonly 429: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InternalError */
            readonly 500: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description ServiceUnavailable */
            readonly 503: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getPayment: {
        readonly parameters: {
            readonly query?: {
                /** @description `transactions.events`: each transaction carries its events. */
                readonly expand?: "transactions.events";
                /** @description The payment as it was recorded at this time, with its version then; RFC 3339, not in the future, and 404 before it was made. */
                readonly at?: string;
            };
            readonly header?: {
                /** @description Made when absent. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Absent means 1.0. */
                readonly "X-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description The id of the payment. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Payment"];
                };
            };
            /** @description UnsupportedApiVersion */
            readonly 400: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InsufficientScope */
            readonly 403: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description NotFound */
            readonly 404: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description RequestValidationError */
            readonly 422: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description TooManyRequests */
            readonly 429: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InternalError */
            readonly 500: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description ServiceUnavailable */
            readonly 503: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly listPayments: {
        readonly parameters: {
            readonly query?: {
                /** @description Only these statuses. */
                readonly status?: readonly components["schemas"]["PaymentStatusInput"][];
                /** @description Only these currencies. */
                readonly currency_code?: readonly components["schemas"]["KnownCurrencyCode"][];
                /** @description Only these orders; a comma inside an id is sent as %2C. */
                readonly order_id?: readonly string[];
                /** @description Only these customers; a comma inside an id is sent as %2C. */
                readonly customer_id?: readonly string[];
                /** @description Only these processors. */
                readonly processor?: readonly string[];
                /** @description Only cards with these last four digits. */
                readonly last_4_digits?: readonly string[];
                /** @description Only these payment methods. */
                readonly payment_method_type?: readonly "PAYMENT_CARD"[];
                /** @description Made at this time or later; RFC 3339. */
                readonly from_date?: string;
                /** @description Made at this time or earlier; RFC 3339. */
                readonly to_date?: string;
                /** @description At least this amount, minor units; needs currency_code. */
                readonly min_amount?: number;
                /** @description At most this amount, minor units; needs currency_code. */
                readonly max_amount?: number;
                /** @description How many a page holds. */
                readonly limit?: number;
                /** @description The `nextCursor` of the page before, with the same filters. */
                readonly cursor?: string;
            };
            readonly header?: {
                /** @description Made when absent. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Absent means 1.0. */
                readonly "X-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PaymentList"];
                };
            };
            /** @description UnsupportedApiVersion · InvalidCursor */
            readonly 400: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InsufficientScope */
            readonly 403: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description RequestValidationError */
            readonly 422: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description TooManyRequests */
            readonly 429: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InternalError */
            readonly 500: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description ServiceUnavailable */
            readonly 503: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly authorizePayment: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Made when absent. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Absent means 1.0. */
                readonly "X-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description The same key and request again get the first answer. `Idempotency-Key` is the same header. */
                readonly "X-Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "clientToken": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjc18xIn0.c2lnbmF0dXJl",
                 *       "paymentMethodToken": "pm_3nQX7bM2tGzKc9RwVfYhJe",
                 *       "paymentMethod": {
                 *         "captureMode": "MANUAL"
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["AuthorizePayment"];
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Payment"];
                };
            };
            /** @description Accepted: the outcome is not known yet. */
            readonly 202: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Payment"];
                };
            };
            /** @description UnsupportedApiVersion · MalformedJson · ConflictingIdempotencyKeys · MetadataContainsEmptyKey · ClientSessionValidationError · InvalidPaymentInstrumentToken */
            readonly 400: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InsufficientScope */
            readonly 403: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description ClientSessionCompleted · Conflict · IdempotencyKeyInProgress */
            readonly 409: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description PayloadTooLarge */
            readonly 413: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description UnsupportedMediaType */
            readonly 415: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description CardNumberNotAllowed · RequestValidationError · IdempotencyKeyReused */
            readonly 422: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description TooManyRequests */
            readonly 429: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InternalError */
            readonly 500: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description ServiceUnavailable */
            readonly 503: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly resumePayment: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Made when absent. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Absent means 1.0. */
                readonly "X-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description The same key and request again get the first answer. `Idempotency-Key` is the same header. */
                readonly "X-Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                /** @description The id of the payment. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "resumeToken": "res_9f2c41d0a7b35e6840c1d2e3f4a5b6c7d8e9f00112233445566778899aabbccd"
                 *     }
                 */
                readonly "application/json": components["schemas"]["ResumePayment"];
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Payment"];
                };
            };
            /** @description Accepted: the outcome is not known yet. */
            readonly 202: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Payment"];
                };
            };
            /** @description UnsupportedApiVersion · MalformedJson · ConflictingIdempotencyKeys · InvalidPaymentStatus */
            readonly 400: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InsufficientScope */
            readonly 403: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description NotFound */
            readonly 404: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description PaymentOperationInProgress · Conflict · IdempotencyKeyInProgress */
            readonly 409: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description PayloadTooLarge */
            readonly 413: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description UnsupportedMediaType */
            readonly 415: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description CardNumberNotAllowed · RequestValidationError · IdempotencyKeyReused */
            readonly 422: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description TooManyRequests */
            readonly 429: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InternalError */
            readonly 500: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description ServiceUnavailable */
            readonly 503: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly capturePayment: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Made when absent. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Absent means 1.0. */
                readonly "X-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description The same key and request again get the first answer. `Idempotency-Key` is the same header. */
                readonly "X-Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                /** @description The id of the payment. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                /**
                 * @example {
                 *       "amount": 10,
                 *       "final": false
                 *     }
                 */
                readonly "application/json": components["schemas"]["CapturePayment"];
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Payment"];
                };
            };
            /** @description Accepted: the outcome is not known yet. */
            readonly 202: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Payment"];
                };
            };
            /** @description UnsupportedApiVersion · MalformedJson · ConflictingIdempotencyKeys · MetadataContainsEmptyKey · InvalidPaymentStatus */
            readonly 400: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InsufficientScope */
            readonly 403: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description NotFound */
            readonly 404: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description PaymentOperationInProgress · Conflict · IdempotencyKeyInProgress */
            readonly 409: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description PayloadTooLarge */
            readonly 413: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description UnsupportedMediaType */
            readonly 415: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description CardNumberNotAllowed · RequestValidationError · UnprocessableCaptureAmount · CaptureDeclined · OperationNotSupported · IdempotencyKeyReused */
            readonly 422: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description TooManyRequests */
            readonly 429: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InternalError */
            readonly 500: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description ServiceUnavailable */
            readonly 503: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly cancelPayment: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Made when absent. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Absent means 1.0. */
                readonly "X-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description The same key and request again get the first answer. `Idempotency-Key` is the same header. */
                readonly "X-Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                /** @description The id of the payment. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                /**
                 * @example {
                 *       "reason": "out of stock"
                 *     }
                 */
                readonly "application/json": components["schemas"]["CancelPayment"];
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Payment"];
                };
            };
            /** @description Accepted: the outcome is not known yet. */
            readonly 202: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Payment"];
                };
            };
            /** @description UnsupportedApiVersion · MalformedJson · ConflictingIdempotencyKeys · InvalidPaymentStatus */
            readonly 400: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InsufficientScope */
            readonly 403: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description NotFound */
            readonly 404: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description PaymentOperationInProgress · Conflict · IdempotencyKeyInProgress */
            readonly 409: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description PayloadTooLarge */
            readonly 413: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description UnsupportedMediaType */
            readonly 415: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description CardNumberNotAllowed · RequestValidationError · CancellationDeclined · IdempotencyKeyReused */
            readonly 422: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description TooManyRequests */
            readonly 429: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InternalError */
            readonly 500: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description ServiceUnavailable */
            readonly 503: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly refundPayment: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Made when absent. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Absent means 1.0. */
                readonly "X-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description The same key and request again get the first answer. `Idempotency-Key` is the same header. */
                readonly "X-Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                /** @description The id of the payment. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                /**
                 * @example {
                 *       "amount": 10,
                 *       "orderId": "refund-1",
                 *       "reason": "one shirt came back"
                 *     }
                 */
                readonly "application/json": components["schemas"]["RefundPayment"];
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Payment"];
                };
            };
            /** @description Accepted: the outcome is not known yet. */
            readonly 202: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Payment"];
                };
            };
            /** @description UnsupportedApiVersion · MalformedJson · ConflictingIdempotencyKeys · InvalidPaymentStatus */
            readonly 400: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InsufficientScope */
            readonly 403: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description NotFound */
            readonly 404: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description PaymentAlreadyRefunded · PaymentDisputed · PaymentOperationInProgress · Conflict · IdempotencyKeyInProgress */
            readonly 409: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description PayloadTooLarge */
            readonly 413: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description UnsupportedMediaType */
            readonly 415: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description CardNumberNotAllowed · RequestValidationError · UnprocessableRefundAmount · RefundDeclined · IdempotencyKeyReused */
            readonly 422: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description TooManyRequests */
            readonly 429: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InternalError */
            readonly 500: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description ServiceUnavailable */
            readonly 503: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly adjustAuthorization: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Made when absent. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Absent means 1.0. */
                readonly "X-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description The same key and request again get the first answer. `Idempotency-Key` is the same header. */
                readonly "X-Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                /** @description The id of the payment. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "amount": 1100
                 *     }
                 */
                readonly "application/json": components["schemas"]["AdjustAuthorization"];
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Payment"];
                };
            };
            /** @description Accepted: the outcome is not known yet. */
            readonly 202: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Payment"];
                };
            };
            /** @description UnsupportedApiVersion · MalformedJson · ConflictingIdempotencyKeys · IncorrectPaymentAuthorizationType · InvalidPaymentStatus */
            readonly 400: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InsufficientScope */
            readonly 403: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description NotFound */
            readonly 404: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description PaymentOperationInProgress · Conflict · IdempotencyKeyInProgress */
            readonly 409: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description PayloadTooLarge */
            readonly 413: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description UnsupportedMediaType */
            readonly 415: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description CardNumberNotAllowed · RequestValidationError · AdjustmentDeclined · OperationNotSupported · IdempotencyKeyReused */
            readonly 422: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description TooManyRequests */
            readonly 429: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InternalError */
            readonly 500: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description ServiceUnavailable */
            readonly 503: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly listPaymentEvents: {
        readonly parameters: {
            readonly query?: {
                /** @description How many a page holds. */
                readonly limit?: number;
                /** @description The `nextCursor` of the page before, with the same filters. */
                readonly cursor?: string;
            };
            readonly header?: {
                /** @description Made when absent. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Absent means 1.0. */
                readonly "X-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description The id of the payment. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PaymentEventList"];
                };
            };
            /** @description UnsupportedApiVersion · InvalidCursor */
            readonly 400: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InsufficientScope */
            readonly 403: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description NotFound */
            readonly 404: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description RequestValidationError */
            readonly 422: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description TooManyRequests */
            readonly 429: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InternalError */
            readonly 500: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description ServiceUnavailable */
            readonly 503: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly explainPayment: {
        readonly parameters: {
            readonly query?: {
                /** @description How many a page holds. */
                readonly limit?: number;
                /** @description The `nextCursor` of the page before, with the same filters. */
                readonly cursor?: string;
            };
            readonly header?: {
                /** @description Made when absent. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Absent means 1.0. */
                readonly "X-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description The id of the payment. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PaymentWhy"];
                };
            };
            /** @description UnsupportedApiVersion · InvalidCursor */
            readonly 400: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InsufficientScope */
            readonly 403: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description NotFound */
            readonly 404: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description RequestValidationError */
            readonly 422: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description TooManyRequests */
            readonly 429: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InternalError */
            readonly 500: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description ServiceUnavailable */
            readonly 503: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly submitDisputeEvidence: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Made when absent. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Absent means 1.0. */
                readonly "X-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description The same key and request again get the first answer. `Idempotency-Key` is the same header. */
                readonly "X-Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                /** @description The id of the payment. */
                readonly id: string;
                /** @description The id of the dispute. */
                readonly disputeId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "text": "Delivered on 2 January and signed for.",
                 *       "shippingTrackingNumber": "RR123456785DE",
                 *       "submit": true
                 *     }
                 */
                readonly "application/json": components["schemas"]["DisputeEvidence"];
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Payment"];
                };
            };
            /** @description Accepted: the outcome is not known yet. */
            readonly 202: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Payment"];
                };
            };
            /** @description UnsupportedApiVersion · MalformedJson · ConflictingIdempotencyKeys · InvalidDisputeStatus */
            readonly 400: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InsufficientScope */
            readonly 403: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description NotFound */
            readonly 404: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description PaymentOperationInProgress · Conflict · IdempotencyKeyInProgress */
            readonly 409: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description PayloadTooLarge */
            readonly 413: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description UnsupportedMediaType */
            readonly 415: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description CardNumberNotAllowed · RequestValidationError · EvidenceLimitReached · OperationNotSupported · IdempotencyKeyReused */
            readonly 422: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description TooManyRequests */
            readonly 429: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InternalError */
            readonly 500: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description ServiceUnavailable */
            readonly 503: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly acceptDispute: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Made when absent. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Absent means 1.0. */
                readonly "X-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description The same key and request again get the first answer. `Idempotency-Key` is the same header. */
                readonly "X-Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                /** @description The id of the payment. */
                readonly id: string;
                /** @description The id of the dispute. */
                readonly disputeId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                /** @example {} */
                readonly "application/json": components["schemas"]["DisputeAcceptance"];
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Payment"];
                };
            };
            /** @description Accepted: the outcome is not known yet. */
            readonly 202: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Payment"];
                };
            };
            /** @description UnsupportedApiVersion · MalformedJson · ConflictingIdempotencyKeys · InvalidDisputeStatus */
            readonly 400: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InsufficientScope */
            readonly 403: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description NotFound */
            readonly 404: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description PaymentOperationInProgress · Conflict · IdempotencyKeyInProgress */
            readonly 409: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description PayloadTooLarge */
            readonly 413: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description UnsupportedMediaType */
            readonly 415: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description CardNumberNotAllowed · RequestValidationError · OperationNotSupported · IdempotencyKeyReused */
            readonly 422: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description TooManyRequests */
            readonly 429: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InternalError */
            readonly 500: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description ServiceUnavailable */
            readonly 503: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly listPaymentInstruments: {
        readonly parameters: {
            readonly query: {
                /** @description The customer whose instruments are listed. */
                readonly customer_id: string;
                /** @description How many a page holds. */
                readonly limit?: number;
                /** @description The `nextCursor` of the page before, with the same filters. */
                readonly cursor?: string;
            };
            readonly header?: {
                /** @description Made when absent. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Absent means 1.0. */
                readonly "X-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PaymentInstrumentList"];
                };
            };
            /** @description UnsupportedApiVersion · InvalidCursor */
            readonly 400: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InsufficientScope */
            readonly 403: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description RequestValidationError */
            readonly 422: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description TooManyRequests */
            readonly 429: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InternalError */
            readonly 500: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description ServiceUnavailable */
            readonly 503: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getPaymentInstrument: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Made when absent. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Absent means 1.0. */
                readonly "X-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description The payment method token. */
                readonly token: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PaymentInstrument"];
                };
            };
            /** @description UnsupportedApiVersion */
            readonly 400: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InsufficientScope */
            readonly 403: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description NotFound */
            readonly 404: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description RequestValidationError */
            readonly 422: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description TooManyRequests */
            readonly 429: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InternalError */
            readonly 500: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description ServiceUnavailable */
            readonly 503: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly deletePaymentInstrument: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Made when absent. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Absent means 1.0. */
                readonly "X-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description The same key and request again get the first answer. `Idempotency-Key` is the same header. */
                readonly "X-Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                /** @description The payment method token. */
                readonly token: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": Record<string, never>;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PaymentInstrument"];
                };
            };
            /** @description UnsupportedApiVersion · MalformedJson · ConflictingIdempotencyKeys · InvalidPaymentInstrumentToken */
            readonly 400: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InsufficientScope */
            readonly 403: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description NotFound */
            readonly 404: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict · IdempotencyKeyInProgress */
            readonly 409: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description PayloadTooLarge */
            readonly 413: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description UnsupportedMediaType */
            readonly 415: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description CardNumberNotAllowed · RequestValidationError · IdempotencyKeyReused */
            readonly 422: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description TooManyRequests */
            readonly 429: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InternalError */
            readonly 500: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description ServiceUnavailable */
            readonly 503: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly vaultPaymentInstrument: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Made when absent. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Absent means 1.0. */
                readonly "X-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description The same key and request again get the first answer. `Idempotency-Key` is the same header. */
                readonly "X-Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                /** @description The payment method token. */
                readonly token: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "customerId": "customer-1",
                 *       "description": "the blue card"
                 *     }
                 */
                readonly "application/json": components["schemas"]["VaultPaymentInstrument"];
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PaymentInstrument"];
                };
            };
            /** @description UnsupportedApiVersion · MalformedJson · ConflictingIdempotencyKeys · InvalidPaymentInstrumentToken */
            readonly 400: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InsufficientScope */
            readonly 403: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description NotFound */
            readonly 404: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description PaymentInstrumentVaultedElsewhere · Conflict · IdempotencyKeyInProgress */
            readonly 409: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description PayloadTooLarge */
            readonly 413: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description UnsupportedMediaType */
            readonly 415: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description CardNumberNotAllowed · RequestValidationError · IdempotencyKeyReused */
            readonly 422: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description TooManyRequests */
            readonly 429: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InternalError */
            readonly 500: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description ServiceUnavailable */
            readonly 503: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly makePaymentInstrumentDefault: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Made when absent. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Absent means 1.0. */
                readonly "X-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description The same key and request again get the first answer. `Idempotency-Key` is the same header. */
                readonly "X-Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                /** @description The payment method token. */
                readonly token: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                /** @example {} */
                readonly "application/json": Record<string, never>;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PaymentInstrument"];
                };
            };
            /** @description UnsupportedApiVersion · MalformedJson · ConflictingIdempotencyKeys · InvalidPaymentInstrumentToken */
            readonly 400: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InsufficientScope */
            readonly 403: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description NotFound */
            readonly 404: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict · IdempotencyKeyInProgress */
            readonly 409: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description PayloadTooLarge */
            readonly 413: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description UnsupportedMediaType */
            readonly 415: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description CardNumberNotAllowed · RequestValidationError · IdempotencyKeyReused */
            readonly 422: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description TooManyRequests */
            readonly 429: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InternalError */
            readonly 500: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description ServiceUnavailable */
            readonly 503: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly listEvents: {
        readonly parameters: {
            readonly query?: {
                /** @description The eventId of the last message that you have; without it the list begins with the first one. */
                readonly after?: string;
                /** @description How many a page holds. */
                readonly limit?: number;
                /** @description The `nextCursor` of the page before, with the same filters. */
                readonly cursor?: string;
            };
            readonly header?: {
                /** @description Made when absent. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Absent means 1.0. */
                readonly "X-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PaymentMessageList"];
                };
            };
            /** @description UnsupportedApiVersion · InvalidCursor */
            readonly 400: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InsufficientScope */
            readonly 403: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description RequestValidationError */
            readonly 422: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description TooManyRequests */
            readonly 429: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description InternalError */
            readonly 500: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description ServiceUnavailable */
            readonly 503: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly takeMessage: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description The eventId: the same for every delivery of the message. */
                readonly "webhook-id": string;
                /** @description When this delivery was sent: seconds since 1970, in real time also where the business clock was moved. */
                readonly "webhook-timestamp": string;
                /** @description One signature for each live secret, `v1,<base64>`, with a blank between two. */
                readonly "webhook-signature": string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["WebhookMessage"];
            };
        };
        readonly responses: {
            /** @description The endpoint is gone: it is disabled. */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It is taken, and is not sent again. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It is sent again: after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
