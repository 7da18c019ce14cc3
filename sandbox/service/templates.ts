/**
 * Bodies of the seeded message templates. Between them they have every form of placeholder a renderer
 * meets: spaces inside the braces, the same name twice, names that are not ASCII, and none at all.
 */
export const templateSeeds: ReadonlyArray<{ name: string; body: string }> = [
	{
		name: 'Appointment reminder',
		body: 'Hi {{firstName}}, this is a reminder of your appointment on {{date}} at {{time}}. Reply C to confirm.',
	},
	{
		name: 'Missed call',
		body: 'Sorry we missed your call, {{ firstName }}! How can we help? {{ agentName }} will answer here.',
	},
	{
		name: 'Welcome back',
		body: '{{firstName}}, welcome back! Your usual advisor {{ agentName }} is in today, {{firstName}}.',
	},
	{
		name: 'Quote ready',
		body: 'Hello {{ first name }}, your quote no. {{quote_number}} over {{amount}} is ready: {{link}}',
	},
	{
		name: 'Termin bestätigt',
		body: 'Guten Tag {{größe}} {{ name }}, Ihr Termin am {{Straße}} steht.',
	},
	{ name: '予約の確認', body: '{{名前}}様、{{ 日付 }}のご予約を承りました。' },
	{
		name: 'Payment received',
		body: 'Thank you, {{contact.firstName}}. We received {{payment.amount}} for invoice {{invoice-id}}.',
	},
	{ name: 'Opening hours', body: 'We are open Monday to Friday, 9 am to 6 pm.' },
	{
		name: 'Review request',
		body: 'How was your visit, {{firstName}}? {{  reviewLink  }} Thank you, {{team}}',
	},
	{ name: 'Order shipped', body: 'Order {{orderId}} is on its way. Track it: {{trackingUrl}}' },
	{ name: 'Prénom', body: 'Bonjour {{prénom}}, votre commande {{ numéro }} est prête.' },
	{
		name: 'Lead follow-up',
		body: 'Hi {{firstName}}, you asked about {{topic}}. Is {{ time }} today still good?',
	},
];
