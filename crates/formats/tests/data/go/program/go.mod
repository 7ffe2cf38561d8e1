module fixture/parcel

go 1.19
