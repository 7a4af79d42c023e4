// A browser's first number and date take it a tenth of a second, on a slow phone: they are made here, beside the page.
new Intl.NumberFormat(undefined, { style: 'currency', currency: 'EUR' }).format(0)
new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }).format(0)
close()
